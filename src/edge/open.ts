/** The door of this layer: HAProxy with the public port, and the routes that it serves. */
import type { Logger } from 'pino';
import type { Instant } from '../deployment/deployment.ts';
import { reportingFirstFault } from '../lib/first-fault.ts';
import type { Rate } from '../lib/rate-limit.ts';
import { StartError } from '../lib/start-error.ts';
import type { Database } from '../store/database.ts';
import { routesSince } from '../store/routes.ts';
import {
  type CertificateFiles,
  type FileCertificate,
  followCertificateFiles,
  readCertificateFiles,
} from './certificates/certificate-files.ts';
import { ownEdge } from './edge-place.ts';
import type { EdgeSettings, EdgeTls } from './edge-settings.ts';
import { type Edge, startEdge, stopEdge } from './haproxy/haproxy.ts';
import { PortTakenError } from './haproxy/haproxy-process.ts';
import { createRouteFeed } from './route-feed.ts';
import { sitesOf } from './served-sites.ts';
import { announceEdge, type SharedRoutes, shareRoutes } from './shared-routes.ts';

/** For the head of a request, and the body of one to the API: 256 KiB in this time are 17 KiB a second. */
const requestTimeoutMs = 15_000;

/** HAProxy changes its routes when it is told to, and only then: this is for what nobody thinks of. 0.1 s at 10,000. */
const mendEveryMs = 10 * 60_000;
/** A part of the table: with 10,000 deployments each is compared every ten minutes. */
const compareEveryMs = 30_000;

export type OpenEdgeSettings = Omit<EdgeSettings, 'limits' | 'tls'> & {
  /** Where this edge ends HTTPS: the pairs of files with its certificates. */
  tls?: (EdgeTls & { files: readonly CertificateFiles[] }) | undefined;
  /** Of one client address at a time. */
  clientConnections: number;
  guessRate: Rate;
  /** How long one of several edges answers without a word of its service, and the others wait for it. */
  edgeSilenceMs: number;
  appsDomain: string;
  baseUrl: URL;
};

export type EdgeParts = {
  db: Database;
  now: () => Instant;
  log: Logger;
  /** Told when each certificate that is served ends, in the order of their files. */
  noteEnds?: (instants: Instant[]) => void;
};

/** Closing it leaves HAProxy running, unless this opening has begun it and nobody has asked to `keep` it. */
export type OpenEdge = AsyncDisposable & {
  /** Makes exactly those sites reachable that the store says; resolves when a table at least as new is live. */
  refresh(): Promise<void>;
  /** Resolves when no other edge sends requests where the store says no more; absent where there can be none. */
  othersServe?: SharedRoutes['othersServe'];
  /** What other edges may lead to which have not said that they serve this version; absent likewise. */
  othersLead?: SharedRoutes['othersLead'];
  /** Another process has changed routes, or its edge has taken them. */
  hearRoutes(): void;
  /** At whichever edge. */
  countUnderWay: Edge['countUnderWay'];
  /** From now on HAProxy outlives this process: applications stay reachable without it. */
  keep(): void;
};

/** In a data directory that is prepared (`running-service.ts`). Throws StartError. */
export async function openEdge(settings: OpenEdgeSettings, { db, now, log, noteEnds }: EdgeParts): Promise<OpenEdge> {
  const { dataDir, port, appsDomain, clientConnections, isShared, edgeSilenceMs } = settings;
  await using opening = new AsyncDisposableStack();
  const edgeLog = log.child({ part: 'edge' });
  const limits = { connectionsPerClient: clientConnections, requestTimeoutMs };
  const place = isShared && { db, own: await ownEdge(dataDir), silenceMs: edgeSilenceMs, now };
  const answersUntil = place ? await announceEdge(place) : undefined;
  const { version, changed } = await routesSince(db, undefined);
  const sites = sitesOf(changed, appsDomain);
  const certificates = await provideCertificates(settings, now, noteEnds);
  const start = { answersUntil, certificates: certificates?.served ?? [] };
  const edge = await startEdge({ ...settings, limits }, edgeLog, sites, start).catch((error: Error) => {
    const isTaken = error instanceof PortTakenError;
    throw new StartError(
      isTaken ? `${error.message}\nThe port ${port} is taken: set BERTH_PORT to another one.` : error.message,
    );
  });
  const feed = createRouteFeed(db, edge, { appsDomain, log: edgeLog, version });
  const compare = reportingFirstFault(feed.compare, (err) => edgeLog.warn({ err }, 'routes cannot be compared'));
  const timers = [setInterval(compare, compareEveryMs), setInterval(edge.mend, mendEveryMs)].map((timer) =>
    timer.unref(),
  );
  opening.defer(() => timers.forEach(clearInterval));
  let isKept = !edge.isNew;
  opening.defer(async () => {
    await edge.close();
    if (!isKept) await stopEdge(dataDir);
  });
  if (certificates) opening.use(certificates.follow(edge, edgeLog));
  const shared = place && opening.use(await shareRoutes({ ...place, feed, edge, log: edgeLog }));
  const open = opening.move();
  return {
    refresh: feed.refresh,
    ...(shared && { othersServe: shared.othersServe, othersLead: shared.othersLead }),
    hearRoutes: () => {
      if (shared) shared.hear();
    },
    countUnderWay: async (addresses) => {
      const counts = [edge.countUnderWay(addresses), shared ? shared.countUnderWay(addresses) : 0];
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    },
    keep: () => {
      isKept = true;
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** The certificates of the operator's files, and what looks after them; undefined without HTTPS. Throws StartError. */
async function provideCertificates(
  { tls, baseUrl, appsDomain }: OpenEdgeSettings,
  now: () => Instant,
  noteEnds: EdgeParts['noteEnds'],
) {
  if (!tls) return undefined;
  const source = { files: tls.files, hosts: [baseUrl.hostname, `*.${appsDomain}`], now };
  const read = await readCertificateFiles(source);
  if (!read.ok) throw new StartError(`BERTH_TLS_CERTIFICATE: ${read.because}`);
  const { certificates: served } = read;
  const note = (present: readonly FileCertificate[]) => noteEnds?.(present.map(({ expiresAt }) => expiresAt));
  note(served);
  return {
    served,
    follow(edge: Edge, log: Logger): AsyncDisposable {
      const end = new AbortController();
      const put = (certificates: FileCertificate[]) => edge.certify(certificates).then(() => note(certificates));
      const following = followCertificateFiles({ ...source, served, signal: end.signal }, put, log);
      return {
        async [Symbol.asyncDispose]() {
          end.abort();
          await following;
        },
      };
    },
  };
}
