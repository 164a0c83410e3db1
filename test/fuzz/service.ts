/**
 * The service that is fuzzed, in a process of its own so that its memory is its own: the real edge, API, store and
 * control loop, on the engine in memory. Answers its parent's questions, and reports what it should never have logged.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openAccounts } from '../../src/accounts/open.ts';
import type { Service } from '../../src/api/api-service.ts';
import { createApp } from '../../src/api/app.ts';
import { createRegistry } from '../../src/api/registry/registry.ts';
import { createDiskState } from '../../src/control/disk/disk-state.ts';
import { startLoop } from '../../src/control/loop.ts';
import { createRouted } from '../../src/control/routing.ts';
import { openEgress } from '../../src/deployment/workload/egress.ts';
import { edgePaths } from '../../src/edge/edge-paths.ts';
import { startEdge, stopEdge } from '../../src/edge/haproxy/haproxy.ts';
import { startPageServer } from '../../src/edge/open-pages.ts';
import { createRouteFeed } from '../../src/edge/route-feed.ts';
import { siteState } from '../../src/edge/served-sites.ts';
import { admitProxy, clearSocket, prepareRunDirectory } from '../../src/edge/sockets.ts';
import { createDialer } from '../../src/images/dialer/dialer.ts';
import { openPushedImages } from '../../src/images/pushed/open.ts';
import { namespaceOf } from '../../src/images/pushed/repository-names.ts';
import { digestOf } from '../../src/lib/digest.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { createNotifier } from '../../src/lib/notifier.ts';
import { sealWith } from '../../src/lib/seal.ts';
import { wait } from '../../src/lib/wait.ts';
import { openSqlite } from '../../src/store/database.ts';
import { sessionOfToken } from '../../src/store/sessions.ts';
import { freePort } from '../free-port.ts';
import { plainSettings } from '../support/edge.ts';
import { imageManifest } from '../support/image-registry.ts';
import { createTestEngine } from '../support/memory-engine.ts';
import { plantedBlob, victimYaml } from './victim.ts';

export type Ready = { kind: 'ready'; port: number; victimToken: string; victimNamespace: string };
export type Measured = { kind: 'measured'; heapBytes: number; rssBytes: number; cpuSeconds: number; faults: string[] };

/** Deployments come and go: what stays is a leak. */
const lifetimeMs = 15_000;
/** Short, so that whom the limiters remember is as many after ten seconds as after ten minutes. */
const rate = { count: 1_000_000, windowMs: 5_000 };
const maxFaults = 20;

const appsDomain = 'apps.test';
const secret = 'a secret of the fuzzer';
const faults: string[] = [];
/** `--expose-gc` */
const collectGarbage = globalThis.gc as () => void;
const dataDir = await mkdtemp(join(tmpdir(), 'berth-fuzz-'));
const port = await freePort();
const log = pino({ level: 'info' }, { write: judgeLine });
const db = await openSqlite(join(dataDir, 'berth.db'));
const engine = createTestEngine({ facets: new Set(['images', 'isolation', 'addresses']) });
const metrics = createMetrics();
const seal = sealWith(secret);
const baseUrl = new URL(`http://localhost:${port}`);
const urlOf = (label: string) => new URL(`http://${label}.${appsDomain}:${port}`);
const now = Date.now;

const edge = await startEdge(
  { ...plainSettings, dataDir, port, limits: { ...plainSettings.limits, connectionsPerClient: 5_000 } },
  log,
  [],
);
await prepareRunDirectory(dataDir);
const pages = await startPageServer(
  edgePaths(dataDir).pagesSocket,
  (host) => siteState(db, { host, appsDomain, baseUrl, now: now() }),
  log,
);
const loop = startLoop({
  db,
  seal,
  engine,
  urlOf,
  metrics,
  now,
  wait,
  log,
  epoch: { value: 0 },
  disk: createDiskState(),
  random: Math.random,
  checkTags: engine.checkTags,
  routed: createRouted(),
  egressOf: async () => openEgress,
  refreshEdge: createRouteFeed(db, edge, { appsDomain, log }).refresh,
  settings: {
    deployDeadlineMs: 60_000,
    listenPatienceMs: 30_000,
    drainMs: 0,
    leaseMs: 15_000,
    pollMs: 5_000,
    resyncMs: 30_000,
    revisitMs: 600_000,
    imageDiskShare: 1,
    diskFreeBytes: 0,
    graceMs: 1_000,
    sleep: { freezeAfterMs: 0, freezeClaimedAfterMs: 0, stopAfterMs: 0 },
    containerDiskBytes: 2 ** 30,
  },
});
const service: Service = {
  db,
  seal,
  engine,
  urlOf,
  metrics,
  now,
  notifier: createNotifier(),
  dialer: createDialer(),
  wake: loop.wake,
  wakeDomains: () => {},
  accounts: openAccounts({ db, seal, log, now, settings: { baseUrl, otherOrigins: [], signUp: 'open' } }),
  budget: async () => ({ memoryBytes: 2 ** 40, cpuMillis: 1e7, diskBytes: 2 ** 50 }),
  settings: {
    graceMs: 1_000,
    limits: { lifetimeMs, extensionMs: 1_000, extensions: 2 },
    baseUrl,
    startRate: rate,
    rate,
    documentRate: rate,
    signInRate: rate,
    proofOfWork: { mode: 'off', cost: 1 },
    tiers: [{ name: 'free', deployments: 3, memoryBytes: 2 ** 30, allowsReservations: false, lifetimeMs: null }],
    strangers: { perSession: 1000, perAddress: 100_000, memoryBytesPerAddress: 2 ** 50 },
    networkPool: '10.200.0.0/13',
  },
};
const pushed = await openPushedImages(
  { folder: join(dataDir, 'images', 'pushed'), keeping: { graceMs: lifetimeMs, keepMs: lifetimeMs } },
  { db, now, log },
);
const app = await createApp(service, log);
const registry = createRegistry(
  { service, images: pushed.images, limits: { maxBytes: 2 ** 30, diskFreeBytes: 0 } },
  log,
);
const { apiSocket, registrySocket } = edgePaths(dataDir);
for (const { server, socket } of [
  { server: app, socket: apiSocket },
  { server: registry, socket: registrySocket },
]) {
  await clearSocket(socket);
  await server.listen({ path: socket });
  await admitProxy(socket);
}

const { sessionToken } = (
  await app.inject({
    method: 'POST',
    url: '/startUserDeployment',
    headers: { 'content-type': 'text/x-yaml' },
    payload: victimYaml,
  })
).json();
// A deployment of which only its owner may see a trace, until the end.
await db.updateTable('deployments').set({ expiresAt: null }).execute();
const victimNamespace = namespaceOf({ kind: 'session', sessionId: (await sessionOfToken(db, sessionToken))!.id });
await pushVictimsImage();

process.on('message', async (question) => {
  if (question === 'end') await end();
  else process.send!(measure());
});
process.send!({ kind: 'ready', port, victimToken: sessionToken, victimNamespace } satisfies Ready);

function measure(): Measured {
  // The engine in memory keeps a list for the assertions of tests.
  engine.executed.length = 0;
  collectGarbage();
  const { heapUsed, rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const cpuSeconds = (user + system) / 1e6;
  return { kind: 'measured', heapBytes: heapUsed, rssBytes: rss, cpuSeconds, faults: faults.splice(0) };
}

async function pushVictimsImage(): Promise<void> {
  const layer = Buffer.from(plantedBlob);
  const put = async (method: 'POST' | 'PUT', path: string, payload: Buffer) => {
    const authorization = `Basic ${Buffer.from(`me:${sessionToken}`).toString('base64')}`;
    const headers = { authorization, 'content-type': 'application/vnd.oci.image.manifest.v1+json' };
    const url = `/v2/${victimNamespace}/web/${path}`;
    const { statusCode, body } = await registry.inject({ method, url, headers, payload });
    if (statusCode !== 201) throw new Error(`the victim's image was refused: ${statusCode} ${body}`);
  };
  await put('POST', `blobs/uploads/?digest=${digestOf(layer)}`, layer);
  await put('PUT', 'manifests/1', imageManifest(layer, [layer]));
}

async function end(): Promise<void> {
  await app.close();
  await registry.close();
  await pushed[Symbol.asyncDispose]();
  await loop.stop();
  await pages.close();
  await edge.close();
  await stopEdge(dataDir);
  await db.destroy();
  await rm(dataDir, { recursive: true, force: true });
  process.disconnect!();
}

/** Tokens are never logged, wherever a request contains them; and logged errors are real. */
function judgeLine(line: string): void {
  if (faults.length >= maxFaults) return;
  if (/(?:berth|berthkey|claim)_[A-Za-z0-9_-]{32}/.test(line)) faults.push(`a token is in the log: ${line}`);
  const { level, msg } = JSON.parse(line) as { level: number; msg: string };
  // The library of accounts calls it an error when a stranger sends it one.
  if (level >= 50 && !msg.startsWith('sign-in: ')) faults.push(`an error is in the log: ${line}`);
}
