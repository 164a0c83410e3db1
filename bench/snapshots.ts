/**
 * The cost of a snapshot, and its effect on the application: a volume that is nearly full, of which 1 % changes before
 * each snapshot. Reads and writes are due at a steady rate even if the application stalls, so a stop of half a second
 * is fifty requests that waited.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, send, untilOk } from './http.ts';
import { computeIdly } from './idle-loop.ts';
import { measureRestores, type RestoreTimes } from './restores.ts';
import type { Service, Started } from './service.ts';

/** How much is in the volume, and how many snapshots are taken after the first. */
export type SnapshotOptions = { megabytes: number; rounds: number };

/** Milliseconds of every answer of a window: of pages that are read from the volume, and of lines synced to it. */
export type Window = { reads: number[]; writes: number[] };

export type Taken = { seconds: number; totalBytes: number; addedBytes: number; pausedMs: number };

/**
 * Each round has three windows with the same index: `quiet`, then `duringSnapshot` with a snapshot, then `duringLoop` with a
 * loop at idle priority.
 */
export type SnapshotTimes = {
  megabytes: number;
  first: Taken;
  next: Taken[];
  /** After one part in a hundred of every file has changed. */
  scattered: Taken;
  quiet: Window[];
  duringSnapshot: Window[];
  duringLoop: Window[];
  /** Restores of the whole volume. */
  restores: RestoreTimes;
};

const settleMs = 1_500;
const quietMs = 6_000;
/** About as long as a snapshot takes. */
const loopSeconds = 4;
/** Fifty of each kind a second. */
const pauseMs = 20;
const lookMs = 100;
const patienceMs = 600_000;

export async function measureSnapshots(
  service: Service,
  { megabytes, rounds }: SnapshotOptions,
  signal: AbortSignal,
): Promise<SnapshotTimes> {
  const started = await service.start(keeperYaml(megabytes));
  await service.untilRunning(started);
  const at = { host: started.host, port: service.port };
  await untilOk({ ...at, path: '/filled' }, signal);
  service.claim(started);
  const first = await take(service, started, signal);
  const times: Omit<SnapshotTimes, 'scattered' | 'restores'> = {
    megabytes,
    first,
    next: [],
    quiet: [],
    duringSnapshot: [],
    duringLoop: [],
  };
  const change = async (path: string) => {
    const { status, body } = await send({ ...at, path }, signal);
    if (status !== 200) throw new Error(`The application was to change its data, and answered ${body}.`);
  };
  await measure(at, delay(1_000, undefined, { signal }), signal); // the first requests warm everything up
  for (let round = 0; round < rounds; round++) {
    await change('/change');
    // Its writes are still on their way to the disk, and would disturb the quiet window.
    await delay(settleMs, undefined, { signal });
    times.quiet.push((await measure(at, delay(quietMs, undefined, { signal }), signal)).window);
    const { window, outcome } = await measure(at, take(service, started, signal), signal);
    times.duringSnapshot.push(window);
    times.next.push(outcome);
    times.duringLoop.push((await measure(at, computeIdly(loopSeconds, signal), signal)).window);
  }
  await change('/scatter');
  const scattered = await take(service, started, signal);
  const restores = await measureRestores(service, started, '/read', signal);
  await service.requestRemoval(started);
  return { ...times, scattered, restores };
}

/** As long as `work` lasts; its requests that are under way then are part of it. */
async function measure<T>(
  { host, port }: { host: string; port: number },
  work: Promise<T>,
  signal: AbortSignal,
): Promise<{ window: Window; outcome: T }> {
  const window: Window = { reads: [], writes: [] };
  const requested: Promise<void>[] = [];
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  // Heard below, when the last request has been answered.
  ended.catch(() => {});
  const note = (to: number[], path: string) =>
    requested.push(send({ host, port, path }, signal).then((answer) => void to.push(okMs(answer))));
  for (let dueAt = performance.now(); !isOver; dueAt += pauseMs) {
    await delay(Math.max(0, dueAt - performance.now()), undefined, { signal });
    note(window.reads, '/read');
    note(window.writes, '/write');
  }
  await Promise.all(requested);
  return { window, outcome: await ended };
}

function okMs({ status, ms, body }: Answer): number {
  if (status !== 200) throw new Error(`The application was answered ${status}: ${body.slice(0, 200)}`);
  return ms;
}

/** `seconds`: from the request until it is kept and checked. */
async function take(
  { post, get }: Service,
  { sessionToken, applicationName }: Started,
  signal: AbortSignal,
): Promise<Taken> {
  const named = { sessionToken, applicationName };
  const begunAt = performance.now();
  const { status, body } = await post('/createSnapshot', 'application/json', JSON.stringify(named));
  if (status !== 200) throw new Error(`A snapshot was refused: ${body}`);
  const { id } = JSON.parse(body).snapshot;
  while (performance.now() < begunAt + patienceMs) {
    const { snapshots } = JSON.parse((await get(`/getSnapshots?${new URLSearchParams(named)}`)).body);
    const { state, problem, ...taken } = snapshots.find((each: { id: string }) => each.id === id);
    if (state === 'taken') return { ...taken, seconds: (performance.now() - begunAt) / 1000 };
    if (problem !== undefined) throw new Error(`A snapshot failed: ${problem}`);
    await delay(lookMs, undefined, { signal });
  }
  throw new Error('The snapshot is not taken in time.');
}

/** Files of 4 MB with random bytes. A change rewrites 1 % of the files, or 1 % of each file. */
const program = (megabytes: number) => `
const { closeSync, existsSync, fsyncSync, openSync, readSync, writeFileSync, writeSync } = require('node:fs');
const { randomBytes, randomInt } = require('node:crypto');
const size = 4e6;
const files = Array.from({ length: ${Math.max(1, Math.round(megabytes / 4))} }, (_, number) => '/data/' + number);
for (const file of files) if (!existsSync(file)) writeFileSync(file, randomBytes(size));
const log = openSync('/data/log', 'a');
const change = () => {
  for (let number = 0; number < files.length / 100; number++) writeFileSync(files[randomInt(files.length)], randomBytes(size));
};
const scatter = () => {
  for (const path of files) {
    const file = openSync(path, 'r+');
    writeSync(file, randomBytes(size / 100), 0, size / 100, randomInt(99) * size / 100);
    fsyncSync(file);
    closeSync(file);
  }
};
const read = () => {
  const file = openSync(files[randomInt(files.length)], 'r');
  readSync(file, Buffer.alloc(4096), 0, 4096, randomInt(900) * 4096);
  closeSync(file);
};
const write = () => { writeSync(log, 'a line'); fsyncSync(log); };
const acts = { '/read': read, '/write': write, '/change': change, '/scatter': scatter, '/filled': () => {} };
require('node:http').createServer((request, response) => {
  acts[request.url]?.();
  response.end('done');
}).listen(3000);
process.once('SIGTERM', () => process.exit());
`;

function keeperYaml(megabytes: number): string {
  return `application:
  name: keeper
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: node /app/server.cjs
      healthCheck: { path: /filled }
      volumes: [{ name: data, size: ${Math.ceil(megabytes * 1.2) + 16}Mi, mountPath: /data }]
      files:
        - path: /app/server.cjs
          content: |
${program(megabytes).replaceAll(/^/gm, '            ')}
`;
}
