/** Starts the service and stops it gracefully: `npm run serve`. Everything is wired here. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { type Logger, pino } from 'pino';
import { createAccounts } from './accounts/sign-in-library.ts';
import { planOfDeployment } from './api/admission/plans.ts';
import { createApp } from './api/app.ts';
import { readDashboard } from './api/dashboard/bundle.ts';
import type { Control } from './control/control.ts';
import { createDiskBook } from './control/disk/disk-book.ts';
import { startLoop } from './control/loop.ts';
import { storedRoutes } from './control/routing.ts';
import { createPausedClock } from './control/visit/paused-clock.ts';
import type { Instant } from './deployment/deployment.ts';
import { budgetOf } from './deployment/limits/host-budget.ts';
import { dataDirProblem, edgePaths } from './edge/edge-paths.ts';
import { startEdge } from './edge/haproxy/haproxy.ts';
import { PortTakenError } from './edge/haproxy/haproxy-process.ts';
import { startPageServer } from './edge/pages/page-server.ts';
import { servedSites, siteState } from './edge/served-sites.ts';
import { admitProxy, clearSocket, prepareRunDirectory } from './edge/sockets.ts';
import { connectDocker } from './engine/docker/connect.ts';
import { type DiskMeans, findDiskMeans } from './engine/docker/disk/disk-means.ts';
import { createDockerEngine } from './engine/docker/docker.ts';
import { isolate } from './engine/docker/firewall/isolate.ts';
import { openGroups } from './engine/docker/groups/open.ts';
import { escapeWords, findKnownEscapes } from './engine/docker/host/known-escapes.ts';
import { findRuntimeProblem } from './engine/docker/host/runtime.ts';
import { volumesFolder } from './engine/docker/volumes/loop-layout.ts';
import type { Engine } from './engine/engine.ts';
import { latestOnly } from './lib/latest-only.ts';
import { createMetrics } from './lib/metrics.ts';
import { wait } from './lib/wait.ts';
import { isServing, pidFile } from './running-service.ts';
import { openKeys } from './sealing-keys.ts';
import { settingsOrExit } from './settings/command-line.ts';
import { applicationUrl, type Settings } from './settings/settings.ts';
import { accountSettings } from './settings/sign-in-settings.ts';
import { openSqlite } from './store/database.ts';
import { installationId } from './store/installation.ts';
import { takeOver } from './store/leases.ts';

/** A lease is renewed three times in this span; a second process on the store takes over after it. */
const leaseMs = 15_000;
const pollMs = 5_000;
const resyncMs = 30_000;
const revisitMs = 10 * 60_000;
/** For the head of a request, and the body of one to the API: 256 KiB in this time are 17 KiB a second. */
const requestTimeoutMs = 15_000;

/** Where `npm run serve`, `npm start` and `npm test` build it. */
const dashboardFolder = join(import.meta.dirname, '../web/dist');

export type Running = {
  /** Takes no more requests, ends what is under way, and leaves the applications and the edge running. */
  stop(): Promise<void>;
};

/** Something that the operator has to mend; the message says what. */
export class StartError extends Error {}

/** What may take another's place or listen in. */
export type Parts = { now: () => Instant } & Pick<Control, 'afterOperation'>;

/** Resolves when requests are taken. The log goes to the standard output or to `logFile`. Throws StartError. */
export async function serve(settings: Settings, logFile?: string, parts: Partial<Parts> = {}): Promise<Running> {
  const { now = Date.now, afterOperation } = parts;
  const paths = edgePaths(settings.dataDir);
  const problem = dataDirProblem(settings.dataDir);
  if (problem) throw new StartError(`BERTH_DATA_DIR: ${problem}`);
  await mkdir(settings.dataDir, { recursive: true, mode: 0o711 });
  await prepareRunDirectory(settings.dataDir);
  if (await isServing(settings)) throw new StartError(`Berth already serves from ${settings.dataDir}.`);
  const log = pino({ level: settings.logLevel }, pino.destination({ dest: logFile ?? 1, sync: true, mode: 0o600 }));

  const docker = await connectDocker().catch((error: Error) => {
    throw new StartError(`No Docker engine answers (${error.message}). \`npm start\` sets one up; or set DOCKER_HOST.`);
  });
  const unfit = await findRuntimeProblem(docker, settings.runtime);
  if (unfit) throw new StartError(`BERTH_RUNTIME is ${settings.runtime}, but ${unfit}.`);
  for (const found of await findKnownEscapes(docker, settings.runtime)) log.warn(found, escapeWords(found));
  const db = await openSqlite(join(settings.dataDir, 'berth.db'));
  const seal = await openKeys(db, settings, log.child({ part: 'keys' }));
  const { networkPool, runtime, egress, resolvers, gpus } = settings;
  const owner = await installationId(db);
  const metrics = createMetrics();
  const { firewall, problem: exposure } = await isolate(docker, {
    ...{ owner, egress, resolvers, dataDir: settings.dataDir, ...edgeSeenBy(settings) },
    log: log.child({ part: 'firewall' }),
    report: (areInForce) => metrics.isolated.set(Number(areInForce)),
  });
  if (exposure) refuseStrangers(exposure, settings, log);
  const means = await diskMeans(docker, owner, settings);
  log[means.because === undefined ? 'info' : 'warn'](means, 'disk limits');
  const loops = { directory: volumesFolder(settings.dataDir), isForNew: means.volumes === 'loop' };
  const { controlGroups, tenantsMemory: memory, tenantsShares: shares, startsIdle } = settings;
  const { groups, obstacle } = await openGroups(docker, { owner, controlGroups, memory, shares, startsIdle });
  log[groups ? 'info' : 'warn']({ limitBytes: groups?.limitBytes, because: obstacle }, 'control groups');
  const { disk, ...dockerEngine } = createDockerEngine({
    ...{ docker, owner, networkPool, runtime, resolvers, gpus, loops, now, firewall },
    ...(groups && { groups }),
    ...(settings.diskRate && { diskRate: settings.diskRate }),
  });
  const engine: Engine = { ...dockerEngine, ...(means.containers === 'watch' && { disk }) };
  const urlOf = (label: string) => applicationUrl(settings, label);
  metrics.diskMeans.set({ of: 'volumes', means: means.volumes }, 1);
  metrics.diskMeans.set({ of: 'containers', means: means.containers }, 1);

  const { dataDir, host, port, trustedProxies, proxyProtocol, clientConnections } = settings;
  const edge = await startEdge(
    {
      ...{ dataDir, host, port, apiHosts: apiHosts(settings), trustedProxies, proxyProtocol, networkPool },
      ...{ limits: { connectionsPerClient: clientConnections, requestTimeoutMs }, guessRate: settings.guessRate },
    },
    log.child({ part: 'edge' }),
  ).catch((error: Error) => {
    const isTaken = error instanceof PortTakenError;
    throw new StartError(
      isTaken ? `${error.message}\nThe port ${port} is taken: set BERTH_PORT to another one.` : error.message,
    );
  });
  // With 10,000 deployments the rows alone take 30 ms to read: whoever asks meanwhile shares the next reading.
  const refreshEdge = latestOnly<void>(async () => edge.publish(await servedSites(db, settings.appsDomain)));
  const routed = await storedRoutes(db);
  await refreshEdge();
  const pages = await startPageServer(
    paths.pagesSocket,
    (host) => siteState(db, { host, appsDomain: settings.appsDomain, baseUrl: settings.baseUrl, now: now() }),
    log.child({ part: 'pages' }),
  );

  // SQLite is this process's alone: whoever held a lease before is dead.
  await takeOver(db, { now: now(), spreadMs: resyncMs, random: Math.random });
  const { deployDeadlineMs, listenPatienceMs, drainMs, imageDiskShare, diskFreeBytes, containerDiskBytes } = settings;
  const loop = startLoop({
    ...{
      db,
      seal,
      engine,
      refreshEdge,
      routed,
      urlOf,
      egressOf: async (deployment) => (await planOfDeployment(db, settings.tiers, deployment))?.tier.egress ?? egress,
      metrics,
      now,
      wait,
      disk: createDiskBook(),
      log: log.child({ part: 'control' }),
    },
    random: Math.random,
    pausedClock: createPausedClock(() => performance.now()),
    underWay: edge.countUnderWay,
    settings: {
      deployDeadlineMs,
      listenPatienceMs,
      drainMs,
      ...{ leaseMs, pollMs, resyncMs, revisitMs },
      imageDiskShare,
      diskFreeBytes,
      containerDiskBytes,
    },
    ...(afterOperation && { afterOperation }),
  });

  const { baseUrl, startRate, rate, lifetimeMs, extensionMs, extensions, metricsToken, tiers, signInRate } = settings;
  const { strangers, termsUrl, proofOfWork, documentRate } = settings;
  const accounts = createAccounts({
    ...{ db, seal, now, log: log.child({ part: 'accounts' }) },
    settings: { ...accountSettings(settings), otherOrigins: otherOrigins(settings) },
  });
  // The first answer asks the engine, so that no later one has to.
  await engine.capacity();
  const app = await createApp(
    {
      ...{ db, seal, accounts, urlOf, metrics, now, engine, wake: loop.wake },
      budget: async () => budgetOf(await engine.capacity(), settings),
      dashboard: await readDashboard(dashboardFolder, settings),
      settings: {
        ...{ baseUrl, startRate, rate, signInRate, tiers, strangers, limits: { lifetimeMs, extensionMs, extensions } },
        ...{ networkPool, documentRate, proofOfWork, ...(termsUrl && { termsUrl }) },
        ...(metricsToken !== undefined && { metricsToken }),
      },
    },
    log.child({ part: 'api' }),
  );
  await clearSocket(paths.apiSocket);
  await app.listen({ path: paths.apiSocket });
  await admitProxy(paths.apiSocket);
  await writeFile(pidFile(settings), String(process.pid));
  log.info({ url: baseUrl.origin, dataDir }, 'Berth serves');

  return {
    async stop() {
      await app.close();
      await loop.stop();
      await pages.close();
      await edge.close();
      await firewall?.close();
      await db.destroy();
      await rm(pidFile(settings), { force: true });
      log.info('Berth has stopped; the applications keep running');
    },
  };
}

async function diskMeans(docker: Docker, owner: string, { dataDir, diskLimits }: Settings): Promise<DiskMeans> {
  const wanted = { owner, directory: volumesFolder(dataDir), limits: diskLimits };
  return await findDiskMeans(docker, wanted).catch((error: Error) => {
    throw new StartError(`BERTH_DISK_LIMITS: ${error.message}`);
  });
}

/** What containers may reach of this machine: the public port, at the addresses where visitors find it. */
function edgeSeenBy({ host, port }: Settings): { edge?: { address?: string; port: number } } {
  if (host.startsWith('127.') || host === '::1') return {};
  return { edge: { port, ...(host !== '0.0.0.0' && host !== '::' && { address: host }) } };
}

/** Whoever can reach the API can run code here. Throws StartError unless the operator has said that this is wanted. */
function refuseStrangers(problem: string, { allowUnsafe }: Settings, log: Logger): void {
  const words = `Containers are not kept from this machine's services and private networks: ${problem}.`;
  if (!allowUnsafe.includes('firewall'))
    throw new StartError(`${words}\nWhere nobody but you can deploy, BERTH_ALLOW_UNSAFE=1 serves all the same.`);
  log.warn({ problem }, `${words} BERTH_ALLOW_UNSAFE is set`);
}

/** Hosts at which the API itself answers; every other one is an application's. */
function apiHosts({ baseUrl, host }: Settings): string[] {
  const own = host === '0.0.0.0' || host === '::' ? [] : [host.includes(':') ? `[${host}]` : host];
  return [...new Set([baseUrl.hostname, 'localhost', '127.0.0.1', '[::1]', ...own])];
}

/** A service for this machine alone has several names; on a server, a page at `localhost` is somebody else's. */
function otherOrigins(settings: Settings): string[] {
  const { hostname, port } = settings.baseUrl;
  if (!/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) return [];
  return apiHosts(settings).map((host) => new URL(`http://${host}:${port || 80}`).origin);
}

/** Stops the service at the first Ctrl-C or SIGTERM, at once at the second. */
export function stopOnSignal(running: Running): void {
  let signals = 0;
  const stop = async () => {
    signals += 1;
    if (signals > 1) process.exit(130);
    await running.stop();
    process.exit(0);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

if (import.meta.main) {
  try {
    stopOnSignal(await serve(settingsOrExit()));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
