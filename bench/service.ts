/** A Berth of the benchmark's own: a service at a free port, with its data in a temporary directory. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { stopEdge } from '../src/edge/haproxy/haproxy.ts';
import { connectDocker } from '../src/engine/docker/connect-docker.ts';
import { createDockerEngine } from '../src/engine/docker/docker.ts';
import { endIsolation } from '../src/engine/docker/firewall/isolate.ts';
import { volumesFolder } from '../src/engine/docker/volumes/loop-layout.ts';
import type { Owned } from '../src/engine/engine.ts';
import { type Answer, send, untilOk } from './http.ts';
import type { Undo } from './undo.ts';

export type Started = { sessionToken: string; applicationName: string; host: string; ms: number };

export type Service = {
  port: number;
  pid: number;
  get(path: string): Promise<Answer>;
  post(path: string, type: string, body: string | Buffer): Promise<Answer>;
  /** POST /startUserDeployment; `ms`: until its answer is here. */
  start(yaml: string): Promise<Started>;
  /** POST /updateUserDeployment. */
  update(started: Started, yaml: string): Promise<void>;
  /** POST /startUserDeployment with an archive of source code. */
  startSource(name: string, archive: Buffer): Promise<Started>;
  updateSource(started: Started, archive: Buffer): Promise<void>;
  /** Resolves when its state is running. */
  untilRunning(started: Started): Promise<void>;
  /** Resolves with the milliseconds from the request until nothing of the deployment is on the engine any more. */
  remove(started: Started): Promise<number>;
  /** POST /removeDeploymentReservation, which only writes down what is wanted. */
  requestRemoval(started: Started): Promise<void>;
  /** It does not end any more, as if an account had claimed it. */
  claim(started: Started): void;
  /** How many deployments the service has work with: those that come up, run, and are being removed. */
  countPresent(): number;
  /** Resolves when it has none. */
  untilGone(): Promise<void>;
  /** Its objects on the engine. */
  owned(): Promise<Owned[]>;
};

const main = join(import.meta.dirname, '../src/main.ts');
const stopPatienceMs = 20_000;
/** For the removal of hundreds at once. */
const removalPatienceMs = 300_000;
const answerPatienceMs = 60_000;
/** How exactly the time of a removal is known. A look at the store costs a fraction of a millisecond. */
const lookMs = 5;

export async function startService(
  settings: Readonly<Record<string, string>>,
  undo: Undo,
  signal: AbortSignal,
): Promise<Service> {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-bench-'));
  undo.add(`remove ${dataDir}`, () => rm(dataDir, { recursive: true, force: true }));
  undo.add('stop HAProxy', () => stopEdge(dataDir));
  // HAProxy's own user has to get to the sockets below.
  await chmod(dataDir, 0o711);
  const port = await freePort();
  const docker = await connectDocker();
  const engineOf = (owner: string) =>
    createDockerEngine({
      docker,
      owner,
      networkPool: '10.200.0.0/13',
      loops: { directory: volumesFolder(dataDir), isForNew: false },
    });
  let ownedNow = async (): Promise<Owned[]> => [];
  let removeRules = async () => {};
  // After its end, when nothing can be in the making any more: what is there now was left behind.
  undo.add('leave nothing behind', async () => {
    const remains = await ownedNow();
    await removeRules();
    for (const owned of remains) await engineOf(store.owner).removeOwned(owned);
    if (remains.length > 0) throw new Error(`the service had left ${remains.map(({ name }) => name).join(', ')}`);
  });
  const child = spawn(process.execPath, [main], {
    env: { ...environment(dataDir, port), ...settings },
    // Its log is for a person who looks for the cause of a figure; figures alone go to the standard output.
    stdio: ['ignore', process.stderr.fd, process.stderr.fd],
    // A Ctrl-C at the terminal must not end it before its deployments are removed.
    detached: true,
  });
  undo.add('stop the service', () => stop(child));
  const exited = once(child, 'exit').then(([code]): never => {
    throw new Error(`The service ended with code ${code}.`);
  });
  // A service that ends later must not cause an unhandled rejection.
  exited.catch(() => {});
  await Promise.race([untilOk({ port, host: 'localhost', path: '/healthz' }, signal), exited]);

  const store = openStore(dataDir);
  undo.add('close the store', async () => store.close());
  ownedNow = () => engineOf(store.owner).listOwned();
  removeRules = () => endIsolation(store.owner, dataDir);
  const running = new Set<Started>();
  const post = (path: string, type: string, body: string | Buffer) =>
    send({ port, host: `localhost:${port}`, method: 'POST', path, type, body }, AbortSignal.timeout(answerPatienceMs));

  async function start(path: string, type: string, body: string | Buffer): Promise<Started> {
    signal.throwIfAborted();
    const answer = await post(path, type, body);
    const { sessionToken, applicationName, url } = read(answer);
    const started = { sessionToken, applicationName, host: new URL(url).host, ms: answer.ms };
    running.add(started);
    return started;
  }

  const service: Service = {
    port,
    pid: child.pid!,
    post,
    get: (path) => send({ port, host: `localhost:${port}`, path }, signal),
    start: (yaml) => start('/startUserDeployment', 'text/x-yaml', yaml),
    startSource: (name, archive) => start(`/startUserDeployment?name=${name}`, 'application/gzip', archive),
    async updateSource({ sessionToken, applicationName: name }, archive) {
      signal.throwIfAborted();
      const query = new URLSearchParams({ sessionToken, name });
      read(await post(`/updateUserDeployment?${query}`, 'application/gzip', archive));
    },
    async update({ sessionToken }, yaml) {
      signal.throwIfAborted();
      read(await post(`/updateUserDeployment?sessionToken=${sessionToken}`, 'text/x-yaml', yaml));
    },
    async untilRunning({ sessionToken, applicationName }) {
      const path = `/getDeploymentStatus?${new URLSearchParams({ sessionToken, applicationName })}`;
      for (const deadline = performance.now() + answerPatienceMs; performance.now() < deadline; await delay(lookMs)) {
        const { body } = await service.get(path);
        if (JSON.parse(body).status?.state === 'running') return;
      }
      throw new Error(`${applicationName} does not run.`);
    },
    async remove(started) {
      const begunAt = performance.now();
      await service.requestRemoval(started);
      await untilGone(store);
      const ms = performance.now() - begunAt;
      await expectNothing(ownedNow);
      return ms;
    },
    async requestRemoval(started) {
      const { sessionToken, applicationName } = started;
      const body = JSON.stringify({ sessionToken, applicationName });
      read(await post('/removeDeploymentReservation', 'application/json', body));
      running.delete(started);
    },
    claim: ({ host }) => store.claim(host.split('.')[0]!),
    countPresent: store.countPresent,
    untilGone: () => untilGone(store),
    owned: () => ownedNow(),
  };
  undo.add('remove the deployments', async () => {
    for (const started of running) await service.requestRemoval(started);
    await untilGone(store);
  });
  return service;
}

/** Ignores the user's own settings, except for the log level. */
function environment(dataDir: string, port: number): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('BERTH_'));
  return {
    ...Object.fromEntries(kept),
    BERTH_DATA_DIR: dataDir,
    BERTH_PORT: String(port),
    // Requests to a delayed application wait, all from one address.
    BERTH_CLIENT_LIMITS: 'starts=100000/m requests=100000/m documents=100Gi/m connections=10000',
    // Hundreds of small deployments, on a small machine too.
    BERTH_CAPACITY: 'memory=100% cpu-overcommit=1000',
    BERTH_STRANGERS: 'session=1000 address=1000 memory=1Ti',
    // The benchmark waits for removed deployments, including their volumes.
    BERTH_GRACE: '0s',
    BERTH_LOG_LEVEL: process.env.BERTH_LOG_LEVEL ?? 'warn',
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port is free.');
  return address.port;
}

type Store = { owner: string; countPresent(): number; claim(label: string): void; close(): void };

/**
 * Facts that only the service's own database has: its label on the engine, and when a deployment is finished. And
 * claims.
 */
function openStore(dataDir: string): Store {
  const db = new DatabaseSync(join(dataDir, 'berth.db'), { readOnly: true, timeout: 5_000 });
  const owner = db.prepare('SELECT id FROM installation').get()?.id;
  if (typeof owner !== 'string') throw new Error('The service has no installation id.');
  const present = db.prepare('SELECT count(*) AS count FROM deployments WHERE "goneAt" IS NULL');
  const claim = (label: string) => {
    using writable = new DatabaseSync(join(dataDir, 'berth.db'), { timeout: 5_000 });
    writable.prepare('UPDATE deployments SET "claimedAt" = "createdAt", "expiresAt" = NULL WHERE label = ?').run(label);
  };
  return { owner, countPresent: () => Number(present.get()?.count), claim, close: () => db.close() };
}

function read({ status, body }: Answer): Record<'sessionToken' | 'applicationName' | 'url', string> {
  if (status !== 200) throw new Error(`The service answered ${status}: ${body.slice(0, 1000)}`);
  return JSON.parse(body);
}

/** A deployment is gone when the service has found none of its objects on the engine. */
async function untilGone({ countPresent }: Store): Promise<void> {
  const deadline = performance.now() + removalPatienceMs;
  while (countPresent() > 0) {
    if (performance.now() > deadline) throw new Error('The service has not removed its deployments in time.');
    await delay(lookMs);
  }
}

async function expectNothing(ownedNow: () => Promise<Owned[]>): Promise<void> {
  const owned = await ownedNow();
  if (owned.length > 0) throw new Error(`still on the engine: ${owned.map(({ name }) => name).join(', ')}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const tooLate = setTimeout(() => child.kill('SIGKILL'), stopPatienceMs);
  await exited;
  clearTimeout(tooLate);
}
