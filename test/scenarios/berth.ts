/** A real Berth for scenarios: its own process, data directory, port and HAProxy, on the real engine. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openInstallation } from '../../scripts/installed.ts';
import { findOrphans } from '../../src/control/sweep.ts';
import type { Deployment } from '../../src/deployment/deployment.ts';
import { describeEvent } from '../../src/deployment/event/event-text.ts';
import { stopEdge } from '../../src/edge/haproxy/haproxy.ts';
import { readSettings, type Settings } from '../../src/settings/settings.ts';
import { type Database, openPostgres } from '../../src/store/database.ts';
import { deploymentByLabel } from '../../src/store/deployments.ts';
import { eventsAfter, type RecordedEvent } from '../../src/store/events.ts';
import { installationId } from '../../src/store/installation.ts';
import { openTables } from '../../src/store/open.ts';
import { afterDeath } from '../after-death.ts';
import { freePort } from '../free-port.ts';
import type { ServiceCluster } from '../kubernetes/service-cluster.ts';
import { programFile } from '../program.ts';
import { startPostgres } from '../support/postgres.ts';
import { ask } from './ask.ts';
import { createClient, type Started } from './client.ts';
import { engineOfTests } from './engine-of-tests.ts';
import type { Order, Report } from './hooked-service.ts';
import type { PrivateEngine } from './private-engine.ts';
import { until } from './until.ts';

const run = promisify(execFile);

export { named, type ReceivedEvent, type Started } from './client.ts';
export { until } from './until.ts';

const hookedEntry = 'test/scenarios/hooked-service.ts';

/** `TEST_STORE=postgresql npm test -- test/scenarios` keeps everything in PostgreSQL. */
const storeOfTests = process.env.TEST_STORE === 'postgresql' ? 'postgresql' : 'sqlite';

export type BerthOptions = {
  /** The service obeys `order` and reports its operations. */
  isHooked?: boolean;
  /** Service and edge run on the host of this private engine, or on the cluster of the tests. Default: TEST_ENGINE. */
  engine?: PrivateEngine | 'docker' | 'kubernetes';
  /** The store. Default: the one that TEST_STORE names, or SQLite. */
  store?: 'sqlite' | 'postgresql';
};

/** `BERTH_CLIENT_LIMITS` of tests that make many requests. */
export const manyRequests = 'starts=10000/m requests=100000/m documents=1Gi/m guesses=100000/m';

/** Call `destroy` when done, also after a failure. `env` holds further settings. */
export async function createBerth(
  env: Record<string, string> = {},
  { isHooked = false, engine = engineOfTests, store = storeOfTests }: BerthOptions = {},
) {
  const ownEngine = typeof engine === 'object' ? engine : undefined;
  const cluster = engine === 'kubernetes' ? await openCluster() : undefined;
  const postgres = store === 'postgresql' ? await startPostgres({ isTakenCareOf: true }) : undefined;
  await postgres?.ask('create database berth');
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-'));
  const variables: Record<string, string> = {
    ...(ownEngine && { DOCKER_HOST: ownEngine.dockerHost, BERTH_HOST: '0.0.0.0' }),
    ...cluster?.environment,
    BERTH_DATA_DIR: dataDir,
    ...(postgres && { BERTH_DATABASE_URL: postgres.url('berth') }),
    BERTH_PORT: String(await freePort()),
    BERTH_STRANGERS: 'session=1000 address=1000 memory=1Ti gpus=1000',
    // Ended deployments are removed, including volumes.
    BERTH_GRACE: '0s',
    // Nothing falls asleep between the steps of a test.
    BERTH_SLEEP: 'free=0s claimed=0s stop=0s',
    // An address without a server.
    BERTH_REGISTRIES: 'localhost:1 http',
    ...env,
    // The last of equal fields counts.
    BERTH_CLIENT_LIMITS: `${manyRequests} ${env.BERTH_CLIENT_LIMITS ?? ''}`,
    BERTH_CAPACITY: `gpus=1000 ${env.BERTH_CAPACITY ?? ''}`,
    BERTH_TIMEOUTS: `drain=200ms ${env.BERTH_TIMEOUTS ?? ''}`,
  };
  const read = readSettings(variables);
  assert.ok(read.ok, 'mistakes' in read ? read.mistakes.join(' ') : '');
  const settings: Settings = read.settings;
  const { port } = settings;
  const log: string[] = [];
  const operations: string[] = [];
  let service: ChildProcess | undefined;
  let clockOffsetMs = 0;
  let isDestroyed = false;

  const send = (url: URL | string, options: { method?: string; headers?: object; body?: string | Uint8Array } = {}) =>
    ask(new URL(url), { host: ownEngine?.host.address ?? '127.0.0.1', port }, options);
  const client = createClient({ port, send, bringImagesOf: cluster?.bringImagesOf, log: () => log.join('') });
  // The service refuses unknown settings, such as those that choose tests.
  const { BERTH_TEST_SEED, BERTH_TEST_WHOLE, BERTH_TEST_KUBERNETES, BERTH_KUBE_KIT, ...own } = process.env;
  const environment = { ...own, ...variables };
  // Processes on the host of a private engine end with that engine.
  const undertaker = ownEngine
    ? undefined
    : afterDeath(['test/scenarios/end-berth.ts', ...(postgres ? [postgres.folder] : [])], environment);

  async function query<T>(ask: (db: Database) => Promise<T>): Promise<T> {
    const { databaseUrl } = settings;
    // Under load, PostgreSQL may accept a connection later than the usual time limit of a request.
    const db = databaseUrl
      ? await openPostgres({ ...databaseUrl, connections: 2, patienceMs: 60_000 })
      : await openTables(settings);
    return await ask(db).finally(() => db.destroy());
  }

  const berth = {
    settings,
    /** Queries its database, bypassing the service. */
    query,
    /** For commands that run in addition to the service. */
    environment,
    /** Where everything is kept, unless that is SQLite. */
    postgres,
    /** The log of the service. */
    log: () => log.join(''),

    /**
     * Starts the service and waits until requests are taken. `more`: settings that hold until it ends. `source`: of what,
     * where that is not the code of today.
     */
    async serve(more: Record<string, string> = {}, source = programFile('src/main.ts')): Promise<ChildProcess> {
      const program = isHooked ? [programFile(hookedEntry), String(clockOffsetMs)] : [source];
      const argv = [process.execPath, ...program] as const;
      const options: SpawnOptions = {
        env: { ...environment, ...more },
        stdio: ['ignore', 'pipe', 'pipe', ...(isHooked ? (['ipc'] as const) : [])],
      };
      service = ownEngine ? ownEngine.host.spawn(argv, options) : spawn(argv[0], argv.slice(1), options);
      service.stdout!.on('data', (chunk) => log.push(String(chunk)));
      service.stderr!.on('data', (chunk) => log.push(String(chunk)));
      service.on('message', (report: Report) => report.kind === 'operation' && operations.push(report.operation));
      await until('the service takes requests', async () => {
        assert.equal(service!.exitCode, null, `the service has ended: ${log.join('')}`);
        return (await berth.get('/healthz').catch(() => undefined))?.status === 200;
      });
      return service;
    },
    async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
      if (!isRunning(service)) return;
      service.kill(signal);
      await once(service, 'exit');
    },
    /** From now on the clock of a hooked service differs so much from the machine's, also when it is started again. */
    async setClock(offsetMs: number): Promise<void> {
      clockOffsetMs = offsetMs;
      if (isRunning(service)) await berth.order({ kind: 'clock', offsetMs });
    },
    /** To a hooked service; resolves when it has been heard. */
    async order(order: Order): Promise<void> {
      service!.send(order);
      for await (const [report] of on(service!, 'message', { close: ['exit'] })) if (report.kind === 'obeyed') return;
      throw new Error(`the service has ended: ${log.join('').slice(-2000)}`);
    },
    /** Waits until a hooked service has died of its own order. */
    async died(): Promise<void> {
      await until('the service has died', async () => !isRunning(service));
      assert.equal(service!.signalCode, 'SIGKILL', log.join('').slice(-2000));
    },
    /** Each operation that a hooked service reported since the last call, as one line of a plan. */
    takeOperations: () => operations.splice(0),
    /**
     * Runs a real `down` command, which removes the objects of this Berth. Objects in a private engine are removed with
     * it.
     */
    async destroy(down = programFile('scripts/down.ts')): Promise<void> {
      if (isDestroyed) return;
      isDestroyed = true;
      // Each of them although another fails: what is left would keep the process of the test from ending.
      await using ending = new AsyncDisposableStack();
      if (undertaker) ending.defer(() => undertaker.dismiss());
      if (cluster) ending.use(cluster);
      if (postgres) ending.use(postgres);
      ending.defer(() => rm(dataDir, { recursive: true, force: true }));
      if (!ownEngine) ending.defer(async () => void (await stopEdge(dataDir)));
      ending.defer(() => berth.end('SIGKILL'));
      // `down` ends nothing but what `npm start` and `npm run serve` have started.
      if (isHooked || ownEngine) await berth.end('SIGKILL');
      const owner = ownEngine && (await query(installationId).catch(() => undefined));
      if (owner) ownEngine.owners.add(owner);
      if (!ownEngine) {
        const { stdout } = await run(process.execPath, [down, '--yes'], { env: environment });
        assert.match(stdout, /Everything is removed|Nothing was started/);
      }
    },

    ...client,

    /** Objects of this Berth on the engine, and those among them that no row wants. */
    async inventory() {
      const installation = await openInstallation(settings, ownEngine?.docker);
      assert.ok(installation);
      const { db, engine, close } = installation;
      try {
        return { owned: await engine.listOwned(), orphans: await findOrphans(engine, db) };
      } finally {
        await close();
      }
    },
    /** The row of the deployment. */
    async row({ url }: Started): Promise<Deployment> {
      const row = await query((db) => deploymentByLabel(db, new URL(url).hostname.replace(/\.[^.]+$/, '')));
      assert.ok(row, `no row is lost: ${url}`);
      return row;
    },
    /** Its events so far, with the instants of the service's clock. */
    async history(started: Started): Promise<RecordedEvent[]> {
      const { id } = await berth.row(started);
      return await query((db) => eventsAfter(db, id, 0, 10_000));
    },
    /** The message of each event of the deployment so far, as often as it happened. */
    async events(started: Started): Promise<string[]> {
      const events = await berth.history(started);
      return events.flatMap((event) => Array.from({ length: event.count }, () => describeEvent(event)));
    },
  };
  return berth;
}

export type Berth = Awaited<ReturnType<typeof createBerth>>;

/** Loaded only by tests that use a cluster. */
async function openCluster(): Promise<ServiceCluster> {
  return await (await import('../kubernetes/service-cluster.ts')).openServiceCluster();
}

function isRunning(service: ChildProcess | undefined): service is ChildProcess {
  return service !== undefined && service.exitCode === null && service.signalCode === null;
}
