/**
 * The sweep removes the objects of ended deployments. Objects with Berth's label but without a row are quarantined,
 * because the store may have lost the row.
 */
import type { Instant } from '../deployment/deployment.ts';
import {
  type KnownDeployment,
  planSweep,
  type Quarantined,
  unknownAmong,
} from '../deployment/quarantine/quarantine.ts';
import { holdReasons, type SweepHold } from '../deployment/quarantine/sweep-hold.ts';
import type { WorkloadName } from '../deployment/workload/workload.ts';
import type { Engine, Owned } from '../engine/engine.ts';
import { isTrialId } from '../engine/trial-ids.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Database } from '../store/database.ts';
import { existingIdsAmong, presentDeploymentIds } from '../store/deployments.ts';
import {
  holdSweep,
  quarantined,
  readSweepState,
  recordQuarantined,
  releaseFromQuarantine,
} from '../store/quarantine.ts';
import type { ListedObjects } from './attention.ts';

/** Returns owned objects that belong to no present deployment. */
export async function findOrphans(engine: Pick<Engine, 'listOwned'>, db: Database): Promise<Owned[]> {
  // The engine is listed first: the row of an object is written before the object, so a new object is never treated as
  // an orphan.
  const owned = await engine.listOwned();
  const presentIds = new Set(await presentDeploymentIds(db));
  return owned.filter(({ deploymentId }) => !presentIds.has(deploymentId));
}

type Sweeper = { engine: Engine; db: Database; metrics: Metrics; now: () => Instant; graceMs: number };

export type Swept = {
  removed: Owned[];
  /** Workloads of unknown deployments that were stopped. */
  stopped: Owned[];
  /** Ids of deployments that are in quarantine from now on. */
  entered: string[];
  /** Deployments to check next time, because a hold keeps their objects on the engine. */
  held: string[];
  /** A hold that begins with this sweep. */
  begunHold?: SweepHold;
};

/** Sweeps the listed things of these deployments and of all deployments in quarantine. */
export async function sweep(sweeper: Sweeper, things: ListedObjects, ids: Iterable<string>): Promise<Swept> {
  const { db, metrics, engine, graceMs, now } = sweeper;
  const before = await quarantined(db);
  const looked = [...new Set([...ids, ...before.map(({ deploymentId }) => deploymentId)])];
  const listed = new Map(looked.map((id) => [id, things.get(id) ?? []]));
  const known = await knownOf(
    db,
    looked.filter((id) => things.has(id)),
  );
  const { entries, entered } = await updateQuarantine(sweeper, { before, listed, known });
  const state = await readSweepState(db);
  // Reasons for a hold may be in any part of the engine, so all epochs are compared.
  const reasons = state.hold ? [] : holdReasons({ state, things, known, entries: entries.values() });
  const begunHold = reasons.length > 0 ? { reasons } : undefined;
  if (begunHold) await holdSweep(db, begunHold);
  const isHeld = state.hold !== null || begunHold !== undefined;
  const plan = planSweep({ things: listed, known, entries, isHeld, graceMs, now: now() });
  for (const { deploymentId, name } of plan.stops)
    await engine.execute(deploymentId, { kind: 'stop', name: name as WorkloadName, because: 'quarantined' });
  const removed = plan.removals.length === 0 ? [] : await stillThere(engine, plan.removals);
  metrics.orphans.set(removed.length);
  const order = ['workload', 'volume', 'network', 'group'];
  for (const orphan of removed.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))) {
    await engine.removeOwned(orphan);
    metrics.orphansRemoved.inc();
  }
  return { removed, stopped: plan.stops, entered, held: plan.held, ...(begunHold && { begunHold }) };
}

/** Returns the deployments that the store has. The engine's trial deployments have no row and count as ended. */
async function knownOf(db: Database, ids: readonly string[]): Promise<Map<string, KnownDeployment>> {
  const known = await existingIdsAmong(db, ids);
  for (const id of ids) if (isTrialId(id)) known.set(id, { goneAt: 0, revision: 0 });
  return known;
}

type SweepView = {
  before: readonly Quarantined[];
  listed: ReadonlyMap<string, readonly Owned[]>;
  known: ReadonlyMap<string, KnownDeployment>;
};

/** Adds an entry for each unknown deployment. Removes entries if their things are gone or their row is back. */
async function updateQuarantine({ db, now }: Sweeper, { before, listed, known }: SweepView) {
  const unknown = new Set(unknownAmong(listed, known));
  const left = before.filter(({ deploymentId }) => !unknown.has(deploymentId));
  if (left.length > 0)
    await releaseFromQuarantine(
      db,
      left.map(({ deploymentId }) => deploymentId),
    );
  const entries = new Map(before.map((entry) => [entry.deploymentId, entry]));
  for (const { deploymentId } of left) entries.delete(deploymentId);
  const entered: string[] = [];
  for (const deploymentId of unknown) {
    const things = listed.get(deploymentId)!.map(({ kind, name }) => ({ kind, name }));
    const entry = entries.get(deploymentId);
    if (entry && JSON.stringify(entry.things) === JSON.stringify(things)) continue;
    await recordQuarantined(db, { deploymentId, things, now: now() });
    if (entry) continue;
    entered.push(deploymentId);
    entries.set(deploymentId, { deploymentId, firstSeenAt: now(), acceptedAt: null, decision: null, things });
  }
  return { entries, entered };
}

/** Returns the objects that still exist. A visit of any process may have removed some since the listing. */
async function stillThere(engine: Engine, unwanted: readonly Owned[]): Promise<Owned[]> {
  const key = ({ kind, id }: Owned) => `${kind} ${id}`;
  const present = new Set((await engine.listOwned()).map(key));
  return unwanted.filter((orphan) => present.has(key(orphan)));
}
