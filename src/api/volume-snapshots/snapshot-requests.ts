/** What is asked of snapshots: what everything has to pass, and what is written, in one transaction. */
import type { Deployment } from '../../deployment/deployment.ts';
import {
  leavingForRoom,
  neededBy,
  type Restore,
  type Snapshot,
  type SnapshotReason,
  type SnapshotWishes,
  snapshotTermsOf,
} from '../../deployment/snapshot/snapshot.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import type { Database } from '../../store/database.ts';
import { addEvents } from '../../store/events.ts';
import { askForRestore, openRestores } from '../../store/restores.ts';
import { volumeSizesOfDeployment } from '../../store/revisions.ts';
import { setWishes, wishesOf } from '../../store/snapshot-wishes.ts';
import {
  askForOneBefore,
  askForSnapshot,
  letLeave,
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

/** Where nobody can copy volumes, or the operator keeps none. */
export function refuseUnoffered({ snapshots }: Service): Result<{ look: () => void }> {
  if (snapshots) return succeed(snapshots);
  return refuse(
    'snapshots_not_offered',
    'This service takes no snapshots: its volumes are no file systems of their own on its host, or its operator keeps none.',
    "Copy the data with the application's own means.",
  );
}

export async function createSnapshot(service: Service, deployment: Deployment): Promise<Result<Snapshot>> {
  const offered = refuseUnoffered(service);
  if (!offered.ok) return offered;
  const { id: deploymentId } = deployment;
  const asked = await write(service.db, { deploymentId }, (db) => ask(db, service, { deployment, reason: 'asked' }));
  if (asked.ok) offered.value.look();
  return asked;
}

/** In a transaction with the right to the deployment. */
export async function ask(
  db: Database,
  service: Pick<Service, 'settings' | 'now'>,
  { deployment, reason }: { deployment: Deployment; reason: SnapshotReason },
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
  if (count === 0) return refuse('plan_limit_reached', `The plan "${plan}" has no snapshots.`);
  const counted = accountId === undefined ? known : await snapshotsOfAccount(db, accountId);
  // As whoever takes it does.
  if (!leavingForRoom(counted, { bytes }, neededBy(await openRestores(db))))
    return refuse(
      'plan_limit_reached',
      `The snapshots of this account take what its plan "${plan}" allows.`,
      'Delete one that is not needed any more (POST /deleteSnapshot).',
    );
  return succeed(await askForSnapshot(db, { deploymentId, revision, reason, now: service.now() }));
}

function refuseUnclaimed({ applicationName: name, claimedAt, heldAt }: Deployment): Result<undefined> {
  if (claimedAt !== null || heldAt !== null) return succeed(undefined);
  return refuse(
    'snapshot_needs_claim',
    `Application ${name} is not claimed: nothing is kept of it beyond its time.`,
    'Claim it first (POST /claimDeployment).',
  );
}

/** Those that are named change. */
export async function changeWishes(
  service: Service,
  deployment: Deployment,
  changes: Partial<SnapshotWishes>,
): Promise<Result<SnapshotWishes>> {
  const offered = refuseUnoffered(service);
  if (!offered.ok) return offered;
  const { id: deploymentId } = deployment;
  return await write(service.db, { deploymentId }, async (db): Promise<Result<SnapshotWishes>> => {
    const kept = refuseUnclaimed(deployment);
    if (!kept.ok) return kept;
    const wishes = { ...(await wishesOf(db, deploymentId)), ...changes };
    await setWishes(db, deploymentId, wishes);
    return succeed(wishes);
  });
}

/** One that is under way for another reason counts as this one. As `ask`. */
export async function askBefore(
  db: Database,
  service: Pick<Service, 'settings' | 'now'>,
  deployment: Deployment,
): Promise<Result<unknown>> {
  const { id: deploymentId, revision } = deployment;
  if (await askForOneBefore(db, { deploymentId, revision, now: service.now() })) return succeed(undefined);
  return await ask(db, service, { deployment, reason: 'before-update' });
}

function isUnderWay(sentence: string) {
  return refuse('snapshot_under_way', sentence, 'GET /getSnapshots tells when it is done.');
}

export type Restoring = { snapshot: Snapshot; volumes: string[]; left: string[] };

/** What a restore would replace. @param named Volumes; default: all that are in the snapshot. */
export async function findRestoring(
  db: Database,
  deploymentId: string,
  { snapshot: id, volumes: named }: { snapshot: string; volumes?: string[] | undefined },
): Promise<Result<Restoring>> {
  const snapshot = await snapshotById(db, id);
  if (snapshot?.deploymentId !== deploymentId || snapshot.state !== 'taken') return noSnapshot(id);
  const present = [...(await volumeSizesOfDeployment(db, deploymentId)).keys()];
  const kept = snapshot.volumes.map(({ volume }) => volume).filter((volume) => present.includes(volume));
  const missing = (named ?? []).filter((volume) => !kept.includes(volume));
  if (missing.length > 0 || kept.length === 0)
    return refuse(
      'volume_not_found',
      `The snapshot and the deployment do not both have ${missing.join(', ') || 'a volume'}.`,
      kept.length === 0 ? 'Go back to the revision of the snapshot first.' : `Both have ${kept.join(', ')}.`,
    );
  const volumes = [...new Set(named ?? kept)];
  return succeed({ snapshot, volumes, left: present.filter((volume) => !volumes.includes(volume)) });
}

export function noSnapshot(id: string) {
  return refuse(
    'snapshot_not_found',
    `There is no snapshot ${id} of this application that could be restored.`,
    'GET /getSnapshots lists them.',
  );
}

export async function restoreSnapshot(
  service: Service,
  { id: deploymentId, applicationName: name }: Deployment,
  asked: { snapshot: string; volumes?: string[] | undefined; withoutSnapshot?: boolean | undefined },
): Promise<Result<Restore>> {
  const offered = refuseUnoffered(service);
  if (!offered.ok) return offered;
  const restoring = await write(service.db, { deploymentId }, async (db): Promise<Result<Restore>> => {
    const found = await findRestoring(db, deploymentId, asked);
    if (!found.ok) return found;
    if ((await openRestores(db)).some((restore) => restore.deploymentId === deploymentId))
      return isUnderWay(`A snapshot of ${name} is being restored.`);
    const { snapshot, volumes } = found.value;
    const now = service.now();
    const event = { kind: 'intent', intent: 'restore-snapshot', snapshot: snapshot.id, volumes } as const;
    await addEvents(db, deploymentId, [{ at: now, event }]);
    const takesSafety = !asked.withoutSnapshot;
    return succeed(await askForRestore(db, { deploymentId, snapshotId: snapshot.id, volumes, takesSafety, now }));
  });
  if (restoring.ok) offered.value.look();
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
    await letLeave(db, [id]);
    return succeed(snapshot);
  });
  if (deleted.ok) snapshots?.look();
  return deleted;
}
