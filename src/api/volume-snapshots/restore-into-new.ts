/** Starts a new deployment with the data of a snapshot. The original deployment does not change. */
import type { AppSpec } from '../../config/spec/spec.ts';
import type { Deployment } from '../../deployment/deployment.ts';
import { volumesOf } from '../../deployment/desired-volumes.ts';
import { loadedOf } from '../../deployment/snapshot/dump.ts';
import type { Restore, Snapshot } from '../../deployment/snapshot/snapshot.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import type { Origin } from '../../store/origins.ts';
import { restoresOf } from '../../store/restores.ts';
import { documentOf, findStoredRevision } from '../../store/revisions.ts';
import { snapshotById } from '../../store/snapshots.ts';
import type { Service } from '../api-service.ts';
import type { Bounds } from '../configuration/reading/read-document.ts';
import { type Started, start } from '../deployments/start-deployment.ts';
import type { Caller } from '../requests/callers.ts';
import { noSnapshot, refuseUnoffered } from './snapshot-requests.ts';

export type RestoreIntoNew = {
  snapshot: string;
  volumes?: string[] | undefined;
  caller: Caller;
  origin: Origin;
  isTrial: boolean;
  explain: (document: string, bounds: Bounds) => Promise<Result<never>>;
};

/** `left`: the volumes that start empty. */
export type RestoredIntoNew = Started & { snapshot: Snapshot; volumes: string[]; left: string[]; restore?: Restore };

/** The new deployment has the revision of the snapshot. A dry run changes nothing, and its result lacks `restore`. */
export async function restoreIntoNew(
  service: Service,
  deployment: Deployment,
  { snapshot: id, volumes: named, caller, origin, isTrial, explain }: RestoreIntoNew,
): Promise<Result<RestoredIntoNew>> {
  const { db, seal } = service;
  const offered = refuseUnoffered(service);
  if (!offered.ok) return offered;
  const snapshot = await snapshotById(db, id);
  if (snapshot?.deploymentId !== deployment.id || snapshot.state !== 'taken') return noSnapshot(id);
  const kept = await findStoredRevision(db, seal, deployment.id, snapshot.revision);
  if (!kept)
    return refuse(
      'revision_not_found',
      `Revision ${snapshot.revision}, which the snapshot belongs to, is no longer kept.`,
      'Restore it in place instead.',
    );
  const chosen = choose(kept.spec, snapshot, named);
  if (!chosen.ok) return chosen;
  const document = await documentOf(db, seal, deployment.id, snapshot.revision);
  const { volumes, left } = chosen.value;
  const started = await start(service, {
    document,
    spec: kept.spec,
    caller,
    origin,
    key: undefined,
    isTrial,
    restored: { deployment, snapshotId: id, revision: snapshot.revision, volumes },
    explain: (bounds) => explain(document, bounds),
  });
  if (!started.ok) return started;
  if (isTrial) return succeed({ ...started.value, snapshot, volumes, left });
  offered.value.wake();
  const [restore] = await restoresOf(db, started.value.deployment.id);
  return succeed({ ...started.value, snapshot, volumes, left, restore: restore! });
}

/** PURE. */
function choose(
  spec: AppSpec,
  { volumes: kept, dumps }: Snapshot,
  named: readonly string[] | undefined,
): Result<{ volumes: string[]; left: string[] }> {
  const wanted = volumesOf(spec).map(({ volume }) => volume);
  const dumped = loadedOf(dumps).flatMap((dump) => dump.volumes.filter((volume) => wanted.includes(volume)));
  const both = kept.map(({ volume }) => volume).filter((volume) => wanted.includes(volume));
  const missing = (named ?? []).filter((volume) => !both.includes(volume));
  if (missing.length > 0 || both.length === 0)
    return refuse(
      'volume_not_found',
      `The snapshot and its revision do not both have ${missing.join(', ') || 'a volume'}.`,
      both.length === 0
        ? 'The snapshot has no files to restore. Dumps can only be loaded in place, into a running database.'
        : `Both have ${both.join(', ')}.`,
    );
  // A workload starts after its volumes are restored. Loading a dump requires a database that is already running.
  if (named === undefined && dumped.length > 0)
    return refuse(
      'volume_not_found',
      `The snapshot has ${dumped.join(', ')} as dumps, which can only be loaded into a running database. In a new deployment, these volumes would start empty.`,
      `Restore it in place, or name the volumes to restore, out of ${both.join(', ')}: the other volumes start empty.`,
    );
  const volumes = [...new Set(named ?? both)];
  return succeed({ volumes, left: wanted.filter((volume) => !volumes.includes(volume)) });
}
