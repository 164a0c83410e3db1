/**
 * The control loop with so many live deployments, in a process of its own: the real loop, store and edge, on the engine
 * in memory. `loop.ts` starts it and is sent what was measured.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { AppSpec } from '../src/config/spec/spec.ts';
import { createTidying, startLoop } from '../src/control/loop.ts';
import { storedRoutes } from '../src/control/routing.ts';
import { revisitMsOf, togetherMs } from '../src/control/schedule.ts';
import type { Site } from '../src/deployment/site.ts';
import { hashObserved } from '../src/deployment/workload/workload.ts';
import { startEdge } from '../src/edge/haproxy/haproxy.ts';
import { createRouteFeed } from '../src/edge/route-feed.ts';
import { createMemoryWorld } from '../src/engine/memory/world.ts';
import { parsePostgresUrl } from '../src/lib/postgres-address.ts';
import { openPostgres, openSqlite } from '../src/store/database.ts';
import { leasedAfter, makeDue, nextDueAt } from '../src/store/leases.ts';
import { pod, specOf } from '../test/support/deployments.ts';
import { plainSettings } from '../test/support/edge.ts';
import { createTestEngine } from '../test/support/memory-engine.ts';
import { measureIdleChecks } from './idle-checks.ts';
import type { LoopCost, LoopTask } from './loop.ts';
import { benchLog, loopControl, revisitMs, writeRunning, writeStart } from './loop-control.ts';

const { deployments, idleSeconds, starts, dataDir, port, postgres } = JSON.parse(process.argv[2]!) as LoopTask;

const image = 'nginx:1';
const spec: AppSpec = specOf(pod('web', { image, path: '/', servicePorts: [80] }));
const surveys = 5;
/** Rows to a transaction, while what runs already is written down. */
const rowsAtOnce = 500;
/** No other deployment is due while visits are measured. */
const quietMs = 120_000;
/** Visits of which the time of one is taken. */
const visitsAtOnce = 1_000;
/** Health checks of more pods than this are another measurement. */
const maxChecked = 10_000;

const db = postgres
  ? await openPostgres({ ...parsePostgresUrl(postgres.url), connections: 10 })
  : await openSqlite(join(dataDir, 'berth.db'));
const engine = createTestEngine({ world: createMemoryWorld({ [image]: {} }) });
const now = Date.now;
const edge = await startEdge({ ...plainSettings, dataDir, port }, { info() {}, warn: benchLog.error }, []);
/** Whom the next start waits for, and what is called when the edge has its route. */
let awaited: { host: string; arrived: () => void } | undefined;

const tellArrived = (sites: Site[]) => {
  if (sites.some(({ host, endpoints }) => host === awaited?.host && endpoints.length > 0)) awaited?.arrived();
};
const feed = createRouteFeed(
  db,
  {
    publish: async (sites) => edge.publish(sites).then(() => tellArrived(sites)),
    async change(sites) {
      const changed = await edge.change(sites);
      tellArrived(sites);
      return changed;
    },
  },
  { appsDomain: 'localhost', log: { info() {}, warn: benchLog.error } },
);

const control = loopControl({ db, engine, checkTags: engine.checkTags, refreshEdge: () => feed.refresh() });

const emptyBytes = process.memoryUsage.rss();
for (let count = 0; count < deployments; count += rowsAtOnce)
  await writeSome(Math.min(rowsAtOnce, deployments - count));
control.routed = await storedRoutes(db);
await control.refreshEdge();
const loop = startLoop(control);
await spreadVisits(quietMs);
// The first visits are slower than all others.
await visitMany();
const visitMs = await visitMany();
await spreadVisits();
const { idleShare, serverShare } = await processorShares();
const tidying = createTidying(control);
await tidying.tidy();
const surveyMs: number[] = [];
for (let count = 0; count < surveys; count++) surveyMs.push(await surveyOnce());
const liveMs: number[] = [];
for (let count = 0; count < starts; count++) liveMs.push(await startOne());
const residentBytes = process.memoryUsage.rss();
await loop.stop();
const checksShare = deployments > maxChecked ? Number.NaN : await measureIdleChecks(deployments, idleSeconds);
await edge.close();
await db.destroy();
const bytesEach = (residentBytes - emptyBytes) / deployments;
process.send!({
  database: postgres ? 'PostgreSQL' : 'SQLite',
  deployments,
  idleShare,
  serverShare,
  checksShare,
  visitMs,
  surveyMs,
  liveMs,
  residentBytes,
  bytesEach,
} satisfies LoopCost);
process.disconnect!();

/** Deployments that have been running for a while, on the engine and in the store, as the loop would have left them. */
async function writeSome(count: number): Promise<void> {
  await db.transaction().execute(async (db) => {
    for (let number = 0; number < count; number++) {
      const { deployment, desired } = await writeRunning(db, spec);
      const [{ workload }] = desired.workloads as [(typeof desired.workloads)[number]];
      await engine.execute(deployment.id, { kind: 'create-network', egress: desired.egress, because: 'missing' });
      await engine.execute(deployment.id, { kind: 'start', workload, because: 'revision 1' });
      const observed = await engine.observe(deployment.id, [image]);
      const endpoints = [{ path: '/', address: observed.workloads[0]!.address!, port: 80 }];
      await db
        .updateTable('leases')
        .set({ observedHash: hashObserved(observed), dueAt: now() + revisitMs })
        .where('deploymentId', '=', deployment.id)
        .execute();
      await db
        .updateTable('deployments')
        .set({ endpoints: JSON.stringify(endpoints) })
        .where('id', '=', deployment.id)
        .execute();
    }
  });
  engine.executed.length = 0;
}

/** Milliseconds of each of many visits. */
async function visitMany(): Promise<number> {
  const begunAt = performance.now();
  const at = now();
  const some = await leasedAfter(db, '', visitsAtOnce);
  for (const id of some) await makeDue(db, id, at);
  loop.wake('');
  // Leases last for seconds, and no other deployment is due for minutes.
  const busy = async () => ((await nextDueAt(db)) ?? Number.POSITIVE_INFINITY) < at + quietMs / 2;
  while (await busy()) await delay(5);
  return (performance.now() - begunAt) / some.length;
}

/**
 * As after some hours: intervals between visits are 75 to 100 % of the longest one, and visits start at shared
 * instants.
 */
async function spreadVisits(firstInMs = 0): Promise<void> {
  const withinMs = (revisitMsOf(deployments, revisitMs) * 7) / 8;
  const random = postgres ? sql`floor(random() * ${withinMs})` : sql`abs(random() % ${withinMs})`;
  await sql`update leases set "dueAt" = ${now() + firstInMs} + ${random}`.execute(db);
  await sql`update leases set "dueAt" = "dueAt" - "dueAt" % ${togetherMs}`.execute(db);
}

async function processorShares(): Promise<{ idleShare: number; serverShare: number }> {
  const begunAt = performance.now();
  const before = process.cpuUsage();
  const serverBefore = await serverMs();
  await delay(idleSeconds * 1_000);
  const { user, system } = process.cpuUsage(before);
  const server = (await serverMs()) - serverBefore;
  const tookMs = performance.now() - begunAt;
  return { idleShare: (user + system) / 1_000 / tookMs, serverShare: server / tookMs };
}

/** Returns the processor time of all PostgreSQL processes, in steps of 10 ms. Ended ones count to their parent. */
async function serverMs(): Promise<number> {
  if (!postgres) return 0;
  const parent = (await readFile(join(postgres.folder, 'data/postmaster.pid'), 'utf8')).split('\n')[0]!;
  let ticks = 0;
  for (const name of await readdir('/proc')) {
    const stat = /^\d+$/.test(name) ? await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '') : '';
    // After the name in parentheses: state, parent, …; https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [ofItself, ofChildren] = [fields.slice(11, 13), fields.slice(13, 15)];
    if (name === parent) ticks += sum([...ofItself, ...ofChildren]);
    else if (fields[1] === parent) ticks += sum(ofItself);
  }
  return ticks * 10;
}

function sum(numbers: readonly string[]): number {
  return numbers.reduce((total, number) => total + Number(number), 0);
}

async function surveyOnce(): Promise<number> {
  const begunAt = performance.now();
  const { changed, swept } = await tidying.tidy();
  if (changed.length + swept.removed.length > 0) throw new Error('The survey has found something that is not so.');
  return performance.now() - begunAt;
}

/** Milliseconds from the insertion of the rows until the edge has the route. */
async function startOne(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const begunAt = performance.now();
  const { id, label } = await db.transaction().execute((db) => writeStart(db, spec));
  awaited = { host: `${label}.localhost`, arrived: resolve };
  loop.wake(id);
  await promise;
  return performance.now() - begunAt;
}
