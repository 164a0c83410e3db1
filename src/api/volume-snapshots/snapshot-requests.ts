/** Requests about snapshots: the common checks, and the writes in one transaction. */
import type { Deployment } from '../../deployment/deployment.ts';
import { wantedRevision } from '../../deployment/desired.ts';
import { refuseByPlan } from '../../deployment/limits/plan-tier.ts';
import { type Dump, dumpsOf, type LoadedDump, loadedOf } from '../../deployment/snapshot/dump.ts';
import {
  neededBy,
  type Restore,
  type Snapshot,
  type SnapshotPreferences,
  type SnapshotReason,
  snapshotsToEvict,
  snapshotTermsOf,
} from '../../deployment/snapshot/snapshot.ts';
import { noExec } from '../../engine/exec.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import type { Database } from '../../store/database.ts';
import { addEvents } from '../../store/events.ts';
import { openRestores, requestRestore } from '../../store/restores.ts';
import { findStoredRevision, volumeSizesOfDeployment } from '../../store/revisions.ts';
import { setSnapshotPreferences, snapshotPreferencesOf } from '../../store/snapshot-preferences.ts';
import {
  markSnapshotsForRemoval,
  requestSnapshot,
  requestSnapshotBefore,
  snapshotById,
  snapshotsOf,
  snapshotsOfAccount,
} from '../../store/snapshots.ts';
import { write } from '../../store/transaction.ts';
import { planOfDeployment } from '../admission/plans.ts';
import type { Service } from '../api-service.ts';

export async function termsOf(db: Database, { settings }: Pick<Service, 'settings'>, deployment: Deployment) {
  const { tiers } = settings;
  const plan = await planOfDeployment(db, tiers, deployment);
  const tier = plan?.tier ?? tiers[0];
  return { ...snapshotTermsOf(tier, settings.snapshots !== undefined), name: tier.name, accountId: plan?.accountId };
}

/** Refuses if volumes cannot be copied or the operator has disabled snapshots. */
export function refuseUnoffered({ snapshots }: Service): Result<{ wake: () => void }> {
  if (snapshots) return succeed(snapshots);
  return refuse(
    'snapshots_not_offered',
    'This service takes no snapshots: its volumes are not separate file systems, or its operator has disabled snapshots.',
    'Copy the data with the tools of the application.',
  );
}

/** `dump`: databases that are dumped with their own tools. */
export async function createSnapshot(
  service: Service,
  deployment: Deployment,
  { dump = false }: { dump?: boolean | undefined } = {},
): Promise<Result<Snapshot>> {
  const offered = refuseUnoffered(service);
  if (!offered.ok) return offered;
  const { id: deploymentId } = deployment;
  const dumps = dump ? await findDumps(service, deployment) : succeed([]);
  if (!dumps.ok) return dumps;
  const requested = await write(service.db, { deploymentId }, (db) =>
    requestManual(db, service, { deployment, reason: 'asked', dumps: dumps.value }),
  );
  if (requested.ok) offered.value.wake();
  return requested;
}

/** Returns the databases that can be dumped with their own tools. Empty if the service cannot run commands in pods. */
export async function dumpable({ db, seal, engine }: Service, deployment: Deployment): Promise<Dump[]> {
  const revision = engine.exec && (await findStoredRevision(db, seal, deployment.id, wantedRevision(deployment)));
  if (!revision) return [];
  const made = await volumeSizesOfDeployment(db, deployment.id);
  return dumpsOf(revision.spec).filter(({ volumes }) => volumes.every((volume) => made.has(volume)));
}

async function findDumps(service: Service, deployment: Deployment): Promise<Result<Dump[]>> {
  if (!service.engine.exec)
    return refuse('exec_not_allowed', `${noExec.words}: no database can be dumped by its own tools.`, withoutDumps);
  const dumps = await dumpable(service, deployment);
  if (dumps.length > 0) return succeed(dumps);
  return refuse(
    'volume_not_found',
    `Application ${deployment.applicationName} has no volume of a PostgreSQL, MySQL, MariaDB or Redis with one replica.`,
    withoutDumps,
  );
}

const withoutDumps = 'A snapshot without dumps contains the files of all volumes.';

/** Runs in a transaction that holds the deployment's lock. */
export async function requestManual(
  db: Database,
  service: Pick<Service, 'settings' | 'now'>,
  { deployment, reason, dumps = [] }: { deployment: Deployment; reason: SnapshotReason; dumps?: Dump[] },
): Promise<Result<Snapshot>> {
  const { id: deploymentId, applicationName: name, revision } = deployment;
  const kept = refuseUnclaimed(deployment);
  if (!kept.ok) return kept;
  if ((await volumeSizesOfDeployment(db, deploymentId)).size === 0)
    return refuse(
      'volume_not_found',
      `Application ${name} has no volumes.`,
      'Its configuration is kept with each revision (GET /getDeploymentRevisions).',
    );
  const known = await snapshotsOf(db, deploymentId);
  if (known.some(({ state }) => state === 'asked')) return isUnderWay(`A snapshot of ${name} is being taken.`);
  const { count, bytes, name: plan, accountId } = await termsOf(db, service, deployment);
  if (count === 0) return refuseByPlan('plan_limit_reached', `The plan "${plan}" has no snapshots.`);
  const counted = accountId === undefined ? known : await snapshotsOfAccount(db, accountId);
  // The same check as when the snapshot is taken.
  if (!snapshotsToEvict(counted, { bytes }, neededBy(await openRestores(db))))
    return refuseByPlan(
      'plan_limit_reached',
      `The snapshots of this account use all the space that its plan "${plan}" allows.`,
      ['delete a snapshot that you no longer need (POST /deleteSnapshot)'],
    );
  return succeed(await requestSnapshot(db, { deploymentId, revision, reason, dumps, now: service.now() }));
}

/** Beyond its time. */
export function isStored({ claimedAt, heldAt }: Pick<Deployment, 'claimedAt' | 'heldAt'>): boolean {
  return claimedAt !== null || heldAt !== null;
}

function refuseUnclaimed(deployment: Deployment): Result<undefined> {
  if (isStored(deployment)) return succeed(undefined);
  return refuse(
    'snapshot_needs_claim',
    `Application ${deployment.applicationName} is not claimed, so its data is not kept past its time limit.`,
    'Claim it first (POST /claimDeployment).',
  );
}

/** Changes the given settings only. */
export async function changePreferences(
  service: Service,
  deployment: Deployment,
  changes: Partial<SnapshotPreferences>,
): Promise<Result<SnapshotPreferences>> {
  const offered = refuseUnoffered(service);
  if (!offered.ok) return offered;
  const { id: deploymentId } = deployment;
  return await write(service.db, { deploymentId }, async (db): Promise<Result<SnapshotPreferences>> => {
    const kept = refuseUnclaimed(deployment);
    if (!kept.ok) return kept;
    const wishes = { ...(await snapshotPreferencesOf(db, deploymentId)), ...changes };
    await setSnapshotPreferences(db, deploymentId, wishes);
    return succeed(wishes);
  });
}

/** A pending snapshot with another reason counts as this one. */
export async function requestBeforeUpdate(
  db: Database,
  service: Pick<Service, 'settings' | 'now'>,
  deployment: Deployment,
): Promise<Result<unknown>> {
  const { id: deploymentId, revision } = deployment;
  if (await requestSnapshotBefore(db, { deploymentId, revision, now: service.now() })) return succeed(undefined);
  return await requestManual(db, service, { deployment, reason: 'before-update' });
}

function isUnderWay(sentence: string) {
  return refuse('snapshot_under_way', sentence, 'GET /getSnapshots reports when it is complete.');
}

/** `dumps`: of pods whose databases load them. */
export type Restoring = { snapshot: Snapshot; volumes: string[]; dumps: LoadedDump[]; left: string[] };

/** The volumes that a restore would replace. @param named Volumes; default: all in the snapshot. */
export async function findRestoring(
  db: Database,
  deploymentId: string,
  { snapshot: id, volumes: named }: { snapshot: string; volumes?: string[] | undefined },
): Promise<Result<Restoring>> {
  const snapshot = await snapshotById(db, id);
  if (snapshot?.deploymentId !== deploymentId || snapshot.state !== 'taken') return noSnapshot(id);
  const present = [...(await volumeSizesOfDeployment(db, deploymentId)).keys()];
  const files = snapshot.volumes.map(({ volume }) => volume).filter((volume) => present.includes(volume));
  const dumped = loadedOf(snapshot.dumps).filter(({ volumes }) => volumes.every((volume) => present.includes(volume)));
  const kept = [...files, ...dumped.flatMap(({ volumes }) => volumes)];
  const missing = (named ?? []).filter((volume) => !kept.includes(volume));
  if (missing.length > 0 || kept.length === 0)
    return refuse(
      'volume_not_found',
      `The snapshot and the deployment do not both have ${missing.join(', ') || 'a volume'}.`,
      kept.length === 0 ? 'Go back to the revision of the snapshot first.' : `Both have ${kept.join(', ')}.`,
    );
  const wanted = new Set(named ?? kept);
  const volumes = files.filter((volume) => wanted.has(volume));
  const dumps = dumped.filter((dump) => dump.volumes.some((volume) => wanted.has(volume)));
  const restored = [...volumes, ...dumps.flatMap((dump) => dump.volumes)];
  return succeed({ snapshot, volumes, dumps, left: present.filter((volume) => !restored.includes(volume)) });
}

export function noSnapshot(id: string) {
  return refuse(
    'snapshot_not_found',
    `This application has no snapshot ${id} that can be restored.`,
    'GET /getSnapshots lists them.',
  );
}

export async function restoreSnapshot(
  service: Service,
  { id: deploymentId, applicationName: name }: Deployment,
  requested: { snapshot: string; volumes?: string[] | undefined; withoutSnapshot?: boolean | undefined },
): Promise<Result<Restore>> {
  const offered = refuseUnoffered(service);
  if (!offered.ok) return offered;
  const restoring = await write(service.db, { deploymentId }, async (db): Promise<Result<Restore>> => {
    const found = await findRestoring(db, deploymentId, requested);
    if (!found.ok) return found;
    if ((await openRestores(db)).some((restore) => restore.deploymentId === deploymentId))
      return isUnderWay(`A snapshot of ${name} is being restored.`);
    const { snapshot, volumes, dumps } = found.value;
    const now = service.now();
    const all = [...volumes, ...dumps.flatMap((dump) => dump.volumes)];
    const event = { kind: 'intent', intent: 'restore-snapshot', snapshot: snapshot.id, volumes: all } as const;
    await addEvents(db, deploymentId, [{ at: now, event }]);
    const takesSafety = !requested.withoutSnapshot;
    return succeed(
      await requestRestore(db, { deploymentId, snapshotId: snapshot.id, volumes, dumps, takesSafety, now }),
    );
  });
  if (restoring.ok) offered.value.wake();
  return restoring;
}

export async function deleteSnapshot(
  { db, snapshots }: Service,
  { id: deploymentId }: Deployment,
  id: string,
): Promise<Result<Snapshot>> {
  const deleted = await write(db, { deploymentId }, async (db): Promise<Result<Snapshot>> => {
    const snapshot = await snapshotById(db, id);
    if (snapshot?.deploymentId !== deploymentId || ['leaving', 'left'].includes(snapshot.state)) return noSnapshot(id);
    const needed = (await openRestores(db)).some(({ snapshotId, safetyId }) => [snapshotId, safetyId].includes(id));
    if (needed) return isUnderWay('It is being restored.');
    await markSnapshotsForRemoval(db, [id]);
    return succeed(snapshot);
  });
  if (deleted.ok) snapshots?.wake();
  return deleted;
}
