/** The edge: runs HAProxy with a generated configuration and updates its routes. */

import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequestCounts } from '../../deployment/metrics/use.ts';
import type { Site } from '../../deployment/site.ts';
import { createBackoff } from '../../lib/backoff.ts';
import { createSemaphore } from '../../lib/concurrency.ts';
import { replaceFile } from '../../lib/replace-file.ts';
import { dataDirProblem, type EdgePaths, edgePaths } from '../edge-paths.ts';
import type { EdgeLog, EdgeSettings } from '../edge-settings.ts';
import { type HostTable, hostsOf, type RouteChange } from '../route-maps.ts';
import { prepareRunDirectory, startsAsRoot } from '../sockets.ts';
import { createAnswering } from './answering.ts';
import { type Configuration, proxyConfiguration } from './haproxy-configuration.ts';
import { checkVersion, findProxies, killProxies, startProxy, stopProxies } from './haproxy-process.ts';
import { createRouteMaps, type RouteMaps } from './route-maps.ts';
import { countRequests, countUnderWay, describeRunning, watchRunning } from './runtime-socket.ts';
import { createServedCertificates, type NamedCertificate } from './served-certificates.ts';

/**
 * If HAProxy ends at once, it is restarted after 0.25 s, 0.5 s … 30 s. If it ran for a minute, it is restarted at once.
 */
const restartPauses = { firstMs: 250, longestMs: 30_000 };
const heldForMs = 60_000;

/** A change that leaves HAProxy as it is. */
const nothing: RouteChange = { added: { routes: [], endpoints: [] }, turns: [], left: [] };

export type Edge = {
  /** HAProxy did not run before. */
  isNew: boolean;
  /** Makes exactly these sites reachable. Resolves when they are live. */
  publish(sites: Site[]): Promise<void>;
  /**
   * Updates the routes of these sites. A site without endpoints leads nowhere. Other sites are not changed. Returns the
   * hosts that are refused.
   */
  change(sites: Site[]): Promise<string[]>;
  /** Makes HAProxy serve the published and changed sites, if it does not. */
  mend(): Promise<void>;
  /**
   * Returns the number of requests under way at these endpoint addresses, tunnels included. Throws if HAProxy is not
   * running.
   */
  countUnderWay(addresses: readonly string[]): Promise<number>;
  /** Returns the counts by address, since HAProxy was started. Throws if HAProxy is not running. */
  countRequests(): Promise<Map<string, RequestCounts>>;
  /** Disconnects from HAProxy, which continues to serve. */
  close(): Promise<void>;
  /**
   * With several edges: lets this edge answer for applications until this instant. Throws if HAProxy is not running.
   */
  answerUntil(at: number): Promise<void>;
  /** Serves exactly these certificates. Throws if HAProxy refuses one. Then the previous ones stay. */
  certify(certificates: readonly NamedCertificate[]): Promise<void>;
  /** Called when HAProxy was restarted. One of several edges then needs a new deadline. */
  whenStarted(listener: () => void): void;
};

export type EdgeStart = {
  /** With several edges: the deadline until which this edge answers for applications. */
  answersUntil?: number | undefined;
  /** Where it has HTTPS. */
  certificates?: readonly NamedCertificate[];
};

/**
 * Takes over the HAProxy of this data directory, or starts one. A changed configuration is loaded without dropping
 * connections. Resolves when it serves exactly these sites. @throws if HAProxy is missing, too old, or cannot listen.
 */
export async function startEdge(
  settings: EdgeSettings,
  log: EdgeLog,
  sites: Site[],
  { answersUntil = 0, certificates = [] }: EdgeStart = {},
): Promise<Edge> {
  const problem = dataDirProblem(settings.dataDir);
  if (problem) throw new Error(problem);
  const binary = settings.binary ?? 'haproxy';
  const paths = edgePaths(settings.dataDir);
  const configuration = proxyConfiguration(settings, startsAsRoot());
  await checkVersion(binary);
  await prepareRunDirectory(settings.dataDir);
  await mkdir(paths.edge, { recursive: true, mode: 0o700 });
  await writeConfiguration(paths, configuration);

  const inTurn = createSemaphore(1);
  const maps = createRouteMaps(paths);
  const answering = settings.isShared ? createAnswering(paths) : undefined;
  const certified = settings.tls ? createServedCertificates(paths, settings.tls.isIssued === true) : undefined;
  let started = () => {};
  /** A later restart may mean that HAProxy was killed because of old routes, so it gets no deadline yet. */
  async function ensure(until?: number): Promise<'started' | 'taken-over'> {
    const writeFiles = async () => {
      await answering?.writeFile(until);
      const areServed = [await certified?.writeFiles(), await maps.writeFiles()];
      return () => areServed.forEach((resolve) => void resolve?.());
    };
    const ensured = ensureRunning(binary, paths, configuration, { writeFiles }, log);
    const how = await ensured.finally(() => certified?.removeFiles());
    if (how === 'started') started();
    return how;
  }

  const hosts = (sites: Site[]): HostTable => {
    const { hosts, refused } = hostsOf(sites);
    if (refused.length) log.warn({ refused: refused.slice(0, 20) }, 'some sites cannot be routed');
    return hosts;
  };

  async function put(change: RouteChange): Promise<void> {
    await maps.put(change).catch(async (error: unknown) => {
      log.warn({ err: error }, 'HAProxy did not accept the routes');
      await ensure();
      await maps.put(nothing);
    });
    if (maps.isLittered()) void mend();
  }

  /** The next change detects a failure here. */
  async function mend(): Promise<void> {
    await inTurn(async () => {
      if (!(await maps.mend())) log.warn({}, 'HAProxy had wrong routes, which are now corrected');
    }).catch((error: unknown) => log.warn({ err: error }, 'the routes of HAProxy cannot be queried'));
  }

  async function certify(certificates: readonly NamedCertificate[]): Promise<void> {
    const before = certified?.want(certificates);
    await certified
      ?.put()
      .catch(async (error: unknown) => {
        log.warn({ err: error }, 'HAProxy did not accept the certificates');
        await ensure();
        await certified.put();
      })
      .catch((error: unknown) => {
        certified.want(before ?? []);
        throw error;
      });
  }

  maps.wantOnly(hosts(sites));
  certified?.want(certificates);
  const isNew = (await ensure(answersUntil).catch((error: unknown) => forgetFailed(paths, error))) === 'started';
  await put(nothing);
  await certified?.put();
  await answering?.until(answersUntil);
  const stopGuarding = guard(paths, () => inTurn(() => ensure()), log);

  return {
    isNew,
    publish: (sites) => inTurn(() => put(maps.wantOnly(hosts(sites)))),
    change: (sites) =>
      inTurn(async () => {
        const change = maps.want(hosts(sites));
        await put(change);
        return change.turns.map(({ host }) => host);
      }),
    mend,
    countUnderWay: (addresses) => countUnderWay(paths.adminSocket, addresses),
    countRequests: () => countRequests(paths.adminSocket),
    answerUntil: (at) =>
      inTurn(async () => {
        await answering?.until(at).catch(async (error: unknown) => {
          await ensure();
          throw error;
        });
      }),
    certify: (certificates) => inTurn(() => certify(certificates)),
    whenStarted: (listener) => {
      started = listener;
    },
    close: async () => {
      stopGuarding();
      await inTurn(async () => {});
    },
  };
}

/**
 * Stops the HAProxy of this data directory, with all its connections. A process is only signalled if its command line
 * names this directory, because the process id in a file may have been reused.
 * @returns whether it was running.
 */
export async function stopEdge(dataDir: string): Promise<boolean> {
  return (await stopProxies(edgePaths(dataDir))) > 0;
}

/** A HAProxy that cannot listen on its port has created its admin socket before. */
async function forgetFailed(paths: EdgePaths, error: unknown): Promise<never> {
  if ((await findProxies(paths)).length === 0) await rm(paths.adminSocket, { force: true });
  throw error;
}

async function ensureRunning(
  binary: string,
  paths: EdgePaths,
  wanted: Configuration,
  maps: Pick<RouteMaps, 'writeFiles'>,
  log: EdgeLog,
): Promise<'started' | 'taken-over'> {
  const running = await describeRunning(paths.adminSocket);
  if (running?.fingerprint === wanted.fingerprint) return 'taken-over';
  // Written right before the start, because an address of an older table may now belong to another deployment.
  const isServed = await maps.writeFiles();
  if (running) {
    await startProxy(binary, paths, [running.pid], true);
    log.info({ replaced: running.pid }, 'HAProxy reloaded with a new configuration');
    isServed();
    return 'taken-over';
  }
  const silent = await findProxies(paths);
  await startProxy(binary, paths, silent, false).catch(async (error: unknown) => {
    // A stuck process keeps the port. A draining process has released it.
    if (silent.length === 0) throw error;
    await killProxies(paths);
    await startProxy(binary, paths, [], false);
  });
  isServed();
  log.info({ silent }, 'HAProxy started');
  return 'started';
}

/** Starts HAProxy again whenever it ends. @returns what ends the guarding. */
function guard(paths: EdgePaths, ensure: () => Promise<unknown>, log: EdgeLog): () => void {
  const backoff = createBackoff(restartPauses);
  let delayMs = 0;
  let since = Date.now();
  let timer: NodeJS.Timeout | undefined;
  let stopWatching = watchRunning(paths.adminSocket, repairLater);
  let isGuarding = true;

  function repairLater(): void {
    if (Date.now() - since > heldForMs) {
      delayMs = 0;
      backoff.reset();
    }
    timer = setTimeout(repair, delayMs);
    timer.unref();
    delayMs = backoff.next();
  }

  async function repair(): Promise<void> {
    await ensure().catch((error: unknown) => log.warn({ err: error, retryMs: delayMs }, 'HAProxy is down'));
    if (!isGuarding) return;
    since = Date.now();
    stopWatching = watchRunning(paths.adminSocket, repairLater);
  }

  return () => {
    isGuarding = false;
    clearTimeout(timer);
    stopWatching();
  };
}

async function writeConfiguration(paths: EdgePaths, { files }: Configuration): Promise<void> {
  await Promise.all(Object.entries(files).map(([name, content]) => replaceFile(join(paths.edge, name), content)));
}
