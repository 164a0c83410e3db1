/** The edge: keeps HAProxy running with our configuration and gives it the routes. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Site } from '../../deployment/site.ts';
import { createSemaphore } from '../../lib/concurrency.ts';
import { latestOnly } from '../../lib/latest-only.ts';
import { dataDirProblem, type EdgePaths, edgePaths } from '../edge-paths.ts';
import type { EdgeLog, EdgeSettings } from '../edge-settings.ts';
import { routeTables } from '../routes.ts';
import { prepareRunDirectory, startsAsRoot } from '../sockets.ts';
import { type Configuration, endpointsMap, proxyConfiguration, routesMap } from './haproxy-configuration.ts';
import { checkVersion, findProxies, killProxies, startProxy, stopProxies } from './haproxy-process.ts';
import { countUnderWay, describeRunning, replaceMap, watchRunning } from './runtime-socket.ts';

/** A HAProxy that ends at once is started again after 0.25 s, 0.5 s … 30 s; one that held a minute, at once. */
const backOffMs = { first: 250, longest: 30_000, heldFor: 60_000 };

export type Edge = {
  /** HAProxy did not run before. */
  isNew: boolean;
  /** Makes exactly these sites reachable. Resolves when a table at least as new is live. */
  publish(sites: Site[]): Promise<void>;
  /** How many requests are under way at these addresses of endpoints, tunnels included. Throws when HAProxy is away. */
  countUnderWay(addresses: readonly string[]): Promise<number>;
  /** Lets go of HAProxy, which goes on serving the last published table. */
  close(): Promise<void>;
};

/**
 * Takes over the HAProxy that runs for this data directory, or starts one; a changed configuration is loaded without
 * dropping connections. The last published table is served meanwhile.
 * @throws when HAProxy is missing, too old, or cannot listen.
 */
export async function startEdge(settings: EdgeSettings, log: EdgeLog): Promise<Edge> {
  const problem = dataDirProblem(settings.dataDir);
  if (problem) throw new Error(problem);
  const binary = settings.binary ?? 'haproxy';
  const paths = edgePaths(settings.dataDir);
  const configuration = proxyConfiguration(settings, startsAsRoot());
  await checkVersion(binary);
  await prepareRunDirectory(settings.dataDir);
  await mkdir(paths.edge, { recursive: true, mode: 0o700 });
  await Promise.all([writeConfiguration(paths, configuration), makeTables(paths)]);

  const inTurn = createSemaphore(1);
  const ensure = () => ensureRunning(binary, paths, configuration, log);
  /** Those that HAProxy may have, one table back. */
  let endpointsBefore = await readEntries(paths, endpointsMap);
  const isNew = (await ensure().catch((error: unknown) => forgetFailed(paths, error))) === 'started';
  const stopGuarding = guard(paths, () => inTurn(ensure), log);

  const publish = latestOnly((sites: Site[]) =>
    inTurn(async () => {
      const tables = routeTables(sites);
      if (tables.refused.length) log.warn({ refused: tables.refused.slice(0, 20) }, 'some sites cannot be routed');
      // A request reads the routes first and the endpoints after. So every id that it can have read is kept one table
      // longer than its route. Ids name their addresses (`routes.ts`): no mixture leads to another tenant.
      const endpoints = [...new Set([...tables.endpoints, ...endpointsBefore])];
      // Until all of it is live, nobody knows which of the two is.
      endpointsBefore = endpoints;
      // Files first: whenever HAProxy starts, it starts with a table that is no older than the one it served.
      await writeEntries(paths, endpointsMap, endpoints);
      await writeEntries(paths, routesMap, tables.routes);
      await replaceTables(paths, endpoints, tables.routes).catch(async (error: unknown) => {
        log.warn({ err: error }, 'HAProxy did not take the routes');
        await ensure();
        await replaceTables(paths, endpoints, tables.routes);
      });
      endpointsBefore = tables.endpoints;
    }),
  );

  return {
    isNew,
    publish,
    countUnderWay: (addresses) => countUnderWay(paths.adminSocket, addresses),
    close: async () => {
      stopGuarding();
      await inTurn(async () => {});
    },
  };
}

/**
 * Stops the HAProxy of this data directory, with all its connections. A process is signalled only when its command line
 * says that it is this directory's: a process id from a file may be anybody's by now.
 * @returns whether there was one.
 */
export async function stopEdge(dataDir: string): Promise<boolean> {
  return (await stopProxies(edgePaths(dataDir))) > 0;
}

/** A HAProxy that cannot listen at its port has made its admin socket before. */
async function forgetFailed(paths: EdgePaths, error: unknown): Promise<never> {
  if ((await findProxies(paths)).length === 0) await rm(paths.adminSocket, { force: true });
  throw error;
}

async function replaceTables(paths: EdgePaths, endpoints: string[], routes: string[]): Promise<void> {
  await replaceMap(paths.adminSocket, endpointsMap, endpoints);
  await replaceMap(paths.adminSocket, routesMap, routes);
}

async function ensureRunning(
  binary: string,
  paths: EdgePaths,
  wanted: Configuration,
  log: EdgeLog,
): Promise<'started' | 'taken-over'> {
  const running = await describeRunning(paths.adminSocket);
  if (running?.fingerprint === wanted.fingerprint) return 'taken-over';
  if (running) {
    await startProxy(binary, paths, [running.pid], true);
    log.info({ replaced: running.pid }, 'HAProxy reloaded with a new configuration');
    return 'taken-over';
  }
  const silent = await findProxies(paths);
  await startProxy(binary, paths, silent, false).catch(async (error: unknown) => {
    // One that is stuck keeps the port; one that is merely draining has let it go.
    if (silent.length === 0) throw error;
    await killProxies(paths);
    await startProxy(binary, paths, [], false);
  });
  log.info({ silent }, 'HAProxy started');
  return 'started';
}

/** Starts HAProxy again whenever it ends. @returns what ends the guarding. */
function guard(paths: EdgePaths, ensure: () => Promise<unknown>, log: EdgeLog): () => void {
  let delayMs = 0;
  let since = Date.now();
  let timer: NodeJS.Timeout | undefined;
  let stopWatching = watchRunning(paths.adminSocket, repairLater);
  let isGuarding = true;

  function repairLater(): void {
    if (Date.now() - since > backOffMs.heldFor) delayMs = 0;
    timer = setTimeout(repair, delayMs);
    timer.unref();
    delayMs = Math.min(backOffMs.longest, Math.max(backOffMs.first, delayMs * 2));
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
  await Promise.all(Object.entries(files).map(([name, content]) => writeAtomically(paths, name, content)));
}

/** HAProxy does not start without its map files. */
async function makeTables(paths: EdgePaths): Promise<void> {
  for (const map of [routesMap, endpointsMap]) await writeFile(join(paths.edge, map), '', { flag: 'a', mode: 0o600 });
}

async function readEntries(paths: EdgePaths, map: string): Promise<string[]> {
  return (await readFile(join(paths.edge, map), 'utf8')).split('\n').filter(Boolean);
}

async function writeEntries(paths: EdgePaths, map: string, entries: string[]): Promise<void> {
  await writeAtomically(paths, map, entries.map((entry) => `${entry}\n`).join(''));
}

async function writeAtomically(paths: EdgePaths, name: string, content: string): Promise<void> {
  const path = join(paths.edge, name);
  await writeFile(`${path}.new`, content, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
