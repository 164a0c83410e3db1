/**
 * The cost of a control plane with very many deployments on a simulated cluster: the real engine, loop and store,
 * without machines.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { startLoop } from '../src/control/loop.ts';
import { revisitMsOf } from '../src/control/schedule.ts';
import { hashObserved } from '../src/deployment/workload/workload.ts';
import { openKubernetesEngine } from '../src/engine/kubernetes/kubernetes.ts';
import { openSqlite } from '../src/store/database.ts';
import { pod, specOf } from '../test/support/deployments.ts';
import { loopControl, revisitMs, writeRunning } from './loop-control.ts';
import { simulatedCluster } from './simulated-cluster.ts';

export type ClusterSize = {
  deployments: number;
  pods: number;
  openMs: number;
  observeMs: number;
  listMs: number;
  /** While each deployment was looked at once, and all of them for a sweep. */
  requests: number;
  /** The size of the heap with the objects. */
  bytes: number;
  /** While the loop ran for so many seconds in which nothing changed. */
  idle: { seconds: number; visits: number; requests: number; share: number; residentBytes: number };
};

const image = 'node:26-slim';
const spec = specOf(...['web', 'db'].map((name) => pod(name, { image })));
const podsEach = spec.pods.length;
/** Rows to a transaction, while what runs already is written down. */
const rowsAtOnce = 500;

/** Needs `--expose-gc` for the memory; without it, that is what happens to be in the heap. */
export async function measureClusterSize(deployments: number, seconds: number): Promise<ClusterSize> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'berth-bench-'));
  opened.defer(() => rm(folder, { recursive: true }));
  const db = await openSqlite(join(folder, 'berth.db'));
  opened.defer(() => db.destroy());
  const cluster = simulatedCluster('simulated');
  const ids: string[] = [];
  const before = heapBytes();
  while (ids.length < deployments)
    await db.transaction().execute(async (db) => {
      for (const end = Math.min(ids.length + rowsAtOnce, deployments); ids.length < end; ) {
        const { deployment, desired } = await writeRunning(db, spec);
        cluster.add(deployment.id, desired);
        ids.push(deployment.id);
      }
    });

  const begunAt = performance.now();
  const images = { digestOf: () => Promise.reject(new Error('No image is brought here.')) };
  const starting = { images, localPatterns: ['*'], edgeNetworks: [], diskBytes: 2 ** 30, stopSeconds: 5 };
  const { engine } = opened.use(await openKubernetesEngine({ ...starting, cluster, owner: 'simulated' }));
  const openMs = performance.now() - begunAt;
  cluster.requests.length = 0;
  const observedAt = performance.now();
  for (const id of ids) {
    const { workloads } = await engine.observe(id, []);
    if (workloads.length !== podsEach || !workloads.every(({ isReady }) => isReady))
      throw new Error(`${id} is not seen as it is: ${JSON.stringify(workloads)}`);
  }
  const listedAt = performance.now();
  const owned = await engine.listOwned();
  const endedAt = performance.now();
  if (owned.length !== deployments * (podsEach + 1)) throw new Error(`${owned.length} things are seen`);
  const requests = cluster.requests.length;
  const bytes = heapBytes() - before;
  return {
    deployments,
    pods: deployments * podsEach,
    requests,
    openMs,
    bytes,
    observeMs: (listedAt - observedAt) / deployments,
    listMs: endedAt - listedAt,
    idle: await measureIdle(),
  };

  /**
   * As it is after some hours: all is written down as it is, and visits are spread over the time to the longest plan.
   */
  async function measureIdle(): Promise<ClusterSize['idle']> {
    const withinMs = revisitMsOf(deployments, revisitMs);
    for (const id of ids) {
      const observedHash = hashObserved(await engine.observe(id, []));
      await db.updateTable('leases').set({ observedHash }).where('deploymentId', '=', id).execute();
    }
    await sql`update leases set "dueAt" = ${Date.now()} + abs(random() % ${withinMs})`.execute(db);
    const checkTags = () => Promise.reject(new Error('This benchmark requests no images.'));
    const control = loopControl({ db, engine, checkTags, refreshEdge: async () => {} });
    const loop = startLoop(control);
    // The first survey reads all rows, and is over then.
    await delay(5_000);
    const visitsOf = async () => (await control.metrics.visits.get()).values.reduce((sum, { value }) => sum + value, 0);
    const visitsBefore = await visitsOf();
    cluster.requests.length = 0;
    const processor = process.cpuUsage();
    const startedAt = performance.now();
    await delay(seconds * 1_000);
    const { user, system } = process.cpuUsage(processor);
    const share = (user + system) / 1_000 / (performance.now() - startedAt);
    const seen = { visits: (await visitsOf()) - visitsBefore, requests: cluster.requests.length };
    const residentBytes = process.memoryUsage.rss();
    await loop.stop();
    return { seconds, share, residentBytes, ...seen };
  }
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
