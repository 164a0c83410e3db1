/**
 * One of several processes on the same store: the real loop on the real engine, without an edge, which needs visitors.
 * The first process to complete its second operation is killed by it. Started with a task as its argument.
 */
import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createDiskState } from '../../src/control/disk/disk-state.ts';
import { startLoop } from '../../src/control/loop.ts';
import { createRouted } from '../../src/control/routing.ts';
import { createPausedClock } from '../../src/control/visit/paused-clock.ts';
import { createTagCheck } from '../../src/control/visit/tag-check.ts';
import { openEgress } from '../../src/deployment/workload/egress.ts';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { createDockerEngine } from '../../src/engine/docker/docker.ts';
import { ImageFault } from '../../src/images/image-fault.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { sealWith } from '../../src/lib/seal.ts';
import { wait } from '../../src/lib/wait.ts';
import { openSqlite } from '../../src/store/database.ts';

/** The state before the kill, which the killed process leaves in the file `killed`. */
export type LastWords = { at: number; state: string; explanation: string; token: string; leasedUntil: number };

export type WorkerTask = { dataDir: string; owner: string; networkPool: string; secret: string; leaseMs: number };

const { dataDir, owner, networkPool, secret, leaseMs } = JSON.parse(process.argv[2]!) as WorkerTask;
const db = await openSqlite(join(dataDir, 'berth.db'));
/** This worker does not watch the disk. */
const {
  disk: _,
  images,
  ...core
} = createDockerEngine({
  docker: await connectDocker(),
  owner,
  networkPool,
  loops: { directory: join(dataDir, 'volumes'), isForNew: false },
});
const engine = { ...core, images };
let operations = 0;

const loop = startLoop({
  db,
  wait,
  now: Date.now,
  random: Math.random,
  seal: sealWith(secret),
  metrics: createMetrics(),
  epoch: { value: 0 },
  disk: createDiskState(),
  routed: createRouted(),
  engine,
  checkTags: createTagCheck({ images: { digestOf: noRegistry }, engine }),
  pausedClock: createPausedClock(() => performance.now()),
  urlOf: (label) => new URL(`http://${label}.localhost`),
  egressOf: async () => openEgress,
  refreshEdge: async () => {},
  afterOperation: () => {
    if (++operations === 2 && leaveLastWords()) process.kill(process.pid, 'SIGKILL');
  },
  log: { info() {}, warn() {}, error: (fields, message) => console.error(message, fields) },
  settings: {
    leaseMs,
    pollMs: 500,
    resyncMs: 30_000,
    revisitMs: 600_000,
    drainMs: 200,
    deployDeadlineMs: 600_000,
    listenPatienceMs: 30_000,
    imageDiskShare: 1,
    graceMs: 0,
    sleep: { freezeAfterMs: 0, freezeClaimedAfterMs: 0, stopAfterMs: 0 },
    diskFreeBytes: 0,
    containerDiskBytes: 2 ** 30,
  },
});
process.once('disconnect', async () => {
  await loop.stop();
  process.exit();
});
process.send!('ready');

async function noRegistry({ image }: { image: string }): Promise<never> {
  throw new ImageFault('registry-unreachable', image, `No registry is queried for ${image}.`);
}

/** Whether they are the first. */
function leaveLastWords(): boolean {
  const store = new DatabaseSync(join(dataDir, 'berth.db'), { readOnly: true });
  const found = store
    .prepare('select state, explanation, token, "leasedUntil" from leases join deployments on id = "deploymentId"')
    .get();
  store.close();
  const own = join(dataDir, `killed-${process.pid}`);
  writeFileSync(own, JSON.stringify({ at: Date.now(), ...found }));
  try {
    linkSync(own, join(dataDir, 'killed'));
    return true;
  } catch {
    rmSync(own);
    return false;
  }
}
