/** The sweep: what carries our label and no row wants is removed. Nothing else ever is. */
import type { Engine, Owned } from '../engine/engine.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Database } from '../store/database.ts';
import { presentAmong, presentDeploymentIds } from '../store/deployments.ts';
import type { Things } from './attention.ts';

/** Owned objects whose deployment no row knows as present. */
function orphansAmong(owned: readonly Owned[], presentIds: ReadonlySet<string>): Owned[] {
  return owned.filter(({ deploymentId }) => !presentIds.has(deploymentId));
}

/** The orphans now on the engine. */
export async function findOrphans(engine: Pick<Engine, 'listOwned'>, db: Database): Promise<Owned[]> {
  // The engine first: an object that appears after this has its row before it, so it is never taken for an orphan.
  const owned = await engine.listOwned();
  return orphansAmong(owned, new Set(await presentDeploymentIds(db)));
}

type Sweeper = { engine: Engine; db: Database; metrics: Metrics };

/**
 * Removes orphans among what is listed of these deployments, workloads before the volumes and networks they use; returns
 * the removed.
 */
export async function sweep({ db, metrics, engine }: Sweeper, things: Things, ids: Iterable<string>): Promise<Owned[]> {
  const listed = [...ids].filter((id) => things.has(id));
  const unwanted = orphansAmong(
    listed.flatMap((id) => things.get(id)!),
    await presentAmong(db, listed),
  );
  const orphans = unwanted.length === 0 ? [] : await stillThere(engine, unwanted);
  metrics.orphans.set(orphans.length);
  const order = ['workload', 'volume', 'network', 'group'];
  for (const orphan of orphans.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))) {
    await engine.removeOwned(orphan);
    metrics.orphansRemoved.inc();
  }
  return orphans;
}

/** Without what a visit, of whatever process, has removed since it was listed: its row went after that. */
async function stillThere(engine: Engine, unwanted: readonly Owned[]): Promise<Owned[]> {
  const key = ({ kind, id }: Owned) => `${kind} ${id}`;
  const present = new Set((await engine.listOwned()).map(key));
  return unwanted.filter((orphan) => present.has(key(orphan)));
}
