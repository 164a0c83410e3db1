/**
 * One of several edges on one database. It reports which version of the routes it serves and until when it answers. A
 * process that removes a route waits until all other edges serve a newer version or have expired.
 */

import { mkdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../lib/ids.ts';
import type { Metrics } from '../lib/metrics.ts';
import { replaceFile } from '../lib/replace-file.ts';
import { runRounds } from '../lib/rounds.ts';
import { wait } from '../lib/wait.ts';
import type { Database } from '../store/database.ts';
import { edgeOf, evictEdge, forever, otherEdges, registerEdge, renewEdge } from '../store/edges.ts';
import { routesVersion } from '../store/routes.ts';
import type { EdgeRow } from '../store/rows.ts';
import { edgePaths } from './edge-paths.ts';
import type { EdgeLog } from './edge-settings.ts';
import type { Edge } from './haproxy/haproxy.ts';
import { endpointsMap } from './haproxy/haproxy-configuration.ts';
import { findProxies, killProxies } from './haproxy/haproxy-process.ts';
import { awaitThreads, countUnderWay, describeRunning, readMap } from './haproxy/runtime-socket.ts';
import type { RouteFeed } from './route-feed.ts';

/** Clocks of two machines may differ by so much. */
const maxSkewMs = 5_000;
/** News may be missed. */
const lookEveryMs = 250;

export type SharedRoutes = AsyncDisposable & {
  /** Another process has changed routes, or its edge has applied them. */
  onRoutes(): void;
  /** Resolves when no other edge uses outdated routes. Throws if one does not confirm that. */
  othersServe(stop?: AbortSignal): Promise<void>;
  /**
   * The addresses of edges that have not reported this version and may still route to them. For an edge that cannot be
   * queried, waits until it no longer uses removed routes.
   */
  othersLead(version: number, stop?: AbortSignal): Promise<string[]>;
  /**
   * Returns how many requests to these addresses the other edges are processing. Throws if an edge cannot be queried.
   */
  countUnderWay(addresses: readonly string[]): Promise<number>;
};

export type SharedRoutesParts = {
  db: Database;
  own: Pick<EdgeRow, 'id' | 'machine' | 'directory'>;
  /** How long the edge continues to answer after its service is silent, and how long others wait for it. */
  silenceMs: number;
  feed: Pick<RouteFeed, 'refresh' | 'version'>;
  edge: Pick<Edge, 'answerUntil' | 'whenStarted'>;
  now: () => number;
  log: EdgeLog;
  metrics?: Pick<Metrics, 'rounds'> | undefined;
};

/**
 * Called before any route is read for the edge. Returns the time until which HAProxy may serve the routes that are read
 * next.
 */
export async function announceEdge({
  db,
  own,
  silenceMs,
  now,
}: Pick<SharedRoutesParts, 'db' | 'own' | 'silenceMs' | 'now'>): Promise<number> {
  const until = await nextUntil(db, own.id, { now: now(), silenceMs });
  const promised = (await edgeOf(db, own.id))?.answersUntil ?? 0;
  await registerEdge(db, { ...own, answersUntil: Math.max(until, promised) });
  return until;
}

/** The edge is announced, and HAProxy serves the routes that were read since. Resolves when others know that. */
export async function shareRoutes(parts: SharedRoutesParts): Promise<SharedRoutes> {
  const { db, own, silenceMs, feed, edge: haproxy, now, log, metrics } = parts;
  const closing = new AbortController();
  let said: number | undefined;
  let news = Promise.withResolvers<void>();

  /**
   * To extend the time, the row is written before HAProxy is updated. To shorten it, HAProxy is updated first. The row
   * therefore never has a time that is too early.
   */
  async function renew(): Promise<void> {
    await feed.refresh();
    const version = feed.version()!;
    const until = await nextUntil(db, own.id, { now: now(), silenceMs });
    const promised = (await edgeOf(db, own.id))?.answersUntil;
    if (promised === undefined) return await begin();
    const row = { id: own.id, version };
    if (!(await renewEdge(db, { ...row, answersUntil: Math.max(until, promised) }))) return await begin();
    await haproxy.answerUntil(until);
    if (until < promised) await renewEdge(db, { ...row, answersUntil: until });
    said = version;
  }

  /** This edge was evicted. Its routes may be old, so it reads them again before it reports a version. */
  async function begin(): Promise<void> {
    log.warn({}, 'the other edges continued without this one; it restarts from scratch');
    await announceEdge(parts);
    await feed.refresh();
    const until = await nextUntil(db, own.id, { now: now(), silenceMs });
    const version = feed.version()!;
    await renewEdge(db, { id: own.id, version, answersUntil: until });
    await haproxy.answerUntil(until);
    said = version;
  }

  await renew();
  const renewMs = silenceMs / 6;
  const renewals = runRounds({
    name: 'edge-routes',
    everyMs: renewMs,
    longestMs: renewMs,
    isDelayed: true,
    work: renew,
    onFault: (err) => log.warn({ err }, 'the edge cannot report its routes'),
    metrics,
  });
  haproxy.whenStarted(renewals.soon);

  async function isOver(edge: EdgeRow, waitedMs: number): Promise<boolean> {
    const isHere = edge.machine === own.machine;
    const isEndless = edge.answersUntil === forever;
    const isLate = isEndless ? isHere && waitedMs > silenceMs : now() > edge.answersUntil + (isHere ? 0 : maxSkewMs);
    if (!isLate) return false;
    if (isHere) await stopUnresponsive(edge, !isEndless);
    const isStruck = await evictEdge(db, edge);
    if (isStruck)
      log.warn({ edge: edge.id, directory: edge.directory }, 'an edge is unresponsive and is no longer waited for');
    return isStruck;
  }

  async function othersServe(stop?: AbortSignal): Promise<void> {
    const version = await routesVersion(db);
    const startedAt = performance.now();
    for (;;) {
      const received = news.promise;
      const waitedMs = performance.now() - startedAt;
      let isWaiting = false;
      for (const edge of await otherEdges(db, own.id))
        if (edge.version < version && !(await isOver(edge, waitedMs))) isWaiting = true;
      if (!isWaiting) return;
      stop?.throwIfAborted();
      if (waitedMs > 2 * silenceMs + maxSkewMs) throw new Error('another edge does not confirm new routes');
      await Promise.race([received, wait(lookEveryMs, stop)]);
    }
  }

  return {
    onRoutes() {
      news.resolve();
      news = Promise.withResolvers();
      if (!closing.signal.aborted)
        void routesVersion(db).then(
          (version) => version !== said && renewals.soon(),
          () => {},
        );
    },

    othersServe,

    async othersLead(version, stop) {
      const behind = (await otherEdges(db, own.id)).filter((edge) => edge.version < version);
      if (behind.every(({ machine }) => machine === own.machine)) {
        const lists = await Promise.all(behind.map(addressesAt)).catch(() => undefined);
        if (lists) return lists.flat();
      }
      await othersServe(stop);
      return [];
    },

    async countUnderWay(addresses) {
      const others = await otherEdges(db, own.id);
      if (others.some(({ machine }) => machine !== own.machine)) throw new Error('an edge is on another machine');
      const counts = await Promise.all(others.map((edge) => countUnderWayAt(edge, addresses)));
      return counts.reduce((sum, count) => sum + count, 0);
    },

    async [Symbol.asyncDispose]() {
      closing.abort();
      await renewals[Symbol.asyncDispose]();
      // HAProxy may outlive this process, with routes as new as possible.
      await renew().catch(() => {});
    },
  };
}

/** A single edge cannot serve routes too old for others, so it answers without a deadline, even without its service. */
async function nextUntil(
  db: Database,
  id: string,
  { now, silenceMs }: { now: number; silenceMs: number },
): Promise<number> {
  const others = await otherEdges(db, id);
  return others.some(({ answersUntil }) => answersUntil > now) ? now + silenceMs : forever;
}

/**
 * The addresses to which another edge of this machine may send requests, according to its HAProxy. Independent of its
 * service.
 */

/** Throws if HAProxy cannot be queried. */
async function addressesAt({ directory }: Pick<EdgeRow, 'directory'>): Promise<string[]> {
  const paths = edgePaths(directory);
  if ((await findProxies(paths)).length === 0) return [];
  const endpoints = await readMap(paths.adminSocket, endpointsMap);
  return endpoints.map((entry) => entry.slice(entry.indexOf(' ') + 1, entry.lastIndexOf(':')));
}

/** The location of an edge, for other edges on its machine, and their reaction when it is silent. */

/** Returns the identity of the edge in a data directory. It is created once and stays the same after restarts. */
export async function ownEdge(dataDir: string): Promise<Pick<EdgeRow, 'id' | 'machine' | 'directory'>> {
  return { id: await provideEdgeId(dataDir), machine: await machineId(), directory: dataDir };
}

/** Returns the same value for processes that can see each other: the boot ID of the machine, and the PID namespace. */
async function machineId(): Promise<string> {
  const [boot, processes] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    readlink('/proc/self/ns/pid'),
  ]);
  return `${boot.trim()} ${processes}`;
}

async function provideEdgeId(dataDir: string): Promise<string> {
  const paths = edgePaths(dataDir);
  const known = await readFile(join(paths.edge, 'id'), 'utf8').catch(() => '');
  if (known !== '') return known;
  const id = newId();
  await mkdir(paths.edge, { recursive: true, mode: 0o700 });
  await replaceFile(join(paths.edge, 'id'), id);
  return id;
}

/**
 * Makes sure that an edge of this machine that has been silent for too long forwards no request. A working one refuses
 * by its clock. A suspended one might have read its clock before, so it is killed. Its service starts it again.
 */
async function stopUnresponsive({ directory }: Pick<EdgeRow, 'directory'>, refusesByItself: boolean): Promise<void> {
  const paths = edgePaths(directory);
  const { adminSocket } = paths;
  if (refusesByItself && (await describeRunning(adminSocket)) && (await awaitThreads(adminSocket))) return;
  const killed = new Set(await killProxies(paths));
  // A HAProxy that restarts at once does not answer before its service allows it.
  while ((await findProxies(paths)).some((pid) => killed.has(pid)))
    await new Promise((resolve) => setTimeout(resolve, 10));
}

/**
 * Returns how many requests to these addresses an edge of this machine is processing. Throws if it cannot be queried.
 */
async function countUnderWayAt(
  { directory }: Pick<EdgeRow, 'directory'>,
  addresses: readonly string[],
): Promise<number> {
  const paths = edgePaths(directory);
  if ((await findProxies(paths)).length === 0) return 0;
  return await countUnderWay(paths.adminSocket, addresses);
}
