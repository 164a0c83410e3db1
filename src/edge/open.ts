/** The door of this layer: HAProxy with the public port, and the routes that it serves. */
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Instant } from '../deployment/deployment.ts';
import { createRequestTally, type RequestCounts } from '../deployment/metrics/use.ts';
import type { CertificateListener } from '../lib/certificate-report.ts';
import type { MailOperator } from '../lib/mail-transport.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Rate } from '../lib/rate-limit.ts';
import { runRounds } from '../lib/rounds.ts';
import type { Seal } from '../lib/seal.ts';
import { StartError } from '../lib/start-error.ts';
import type { StoreProcess } from '../store/duties.ts';
import { routesSince } from '../store/routes.ts';
import type { Tables } from '../store/rows.ts';
import { type AcmeSettings, openAcmeSource } from './acme/acme-source.ts';
import {
  type CertificateFiles,
  type FileCertificate,
  followCertificateFiles,
  readCertificateFiles,
} from './certificates/certificate-files.ts';
import type { CertificateSource } from './certificates/certificate-source.ts';
import type { EdgeLog, EdgeSettings, EdgeTls } from './edge-settings.ts';
import { type Edge, startEdge, stopEdge } from './haproxy/haproxy.ts';
import { PortTakenError } from './haproxy/haproxy-process.ts';
import { createAddressOwners, createRouteFeed } from './route-feed.ts';
import { sitesOf } from './served-sites.ts';
import { announceEdge, ownEdge, type SharedRoutes, shareRoutes } from './shared-routes.ts';
import { createSleepers, type Sleepers } from './sleepers.ts';

/** For the head of a request, and the body of one to the API: 256 KiB in this time are 17 KiB a second. */
const requestTimeoutMs = 15_000;

/** A safety net: HAProxy's routes normally change only on request. 0.1 s at 10,000 deployments. */
const mendEveryMs = 10 * 60_000;
/** A part of the table: with 10,000 deployments each is compared every ten minutes. */
const compareEveryMs = 30_000;

export type OpenEdgeSettings = Omit<EdgeSettings, 'limits' | 'tls'> & {
  /** Where this edge terminates HTTPS: the pairs of certificate files, or the authority that issues them. */
  tls?: (Omit<EdgeTls, 'isIssued'> & { from: CertificateOrigin }) | undefined;
  /** The maximum number of simultaneous connections of one client address. */
  clientConnections: number;
  guessRate: Rate;
  /**
   * How long an edge among several continues to answer after its service is silent. The others wait this long for it.
   */
  edgeSilenceMs: number;
  appsDomain: string;
  baseUrl: URL;
};

export type CertificateOrigin =
  | { kind: 'files'; files: readonly CertificateFiles[] }
  | { kind: 'authority'; authority: AcmeSettings };

export type EdgeParts = {
  db: Kysely<Tables>;
  seal: Seal;
  now: () => Instant;
  log: Logger;
  onCertificates?: CertificateListener;
  /** Sends a mail to the operator. Absent without a mail server or a recipient. */
  mailOperator?: MailOperator | undefined;
  process?: StoreProcess | undefined;
  metrics?: Metrics | undefined;
};

/** Closing it leaves HAProxy running, unless this call has started it and `keepProxyRunning` was not called. */
export type OpenEdge = AsyncDisposable & {
  /** Makes exactly the sites of the store reachable. Resolves when a table at least as new is live. */
  refresh(): Promise<void>;
  /** Resolves when no other edge uses outdated routes. Absent with a single edge. */
  othersServe?: SharedRoutes['othersServe'];
  /** Addresses that other edges may still route to until they confirm this version. Absent with a single edge. */
  othersLead?: SharedRoutes['othersLead'];
  /** Another process has changed routes, or its edge has applied them. */
  onRoutes(): void;
  sleepers: Pick<Sleepers, 'untilAwake'>;
  /** Counts the requests under way at all edges. */
  countUnderWay: Edge['countUnderWay'];
  /**
   * Requests of each deployment since the previous call, at this edge alone; empty at the first call. Throws if HAProxy
   * does not run.
   */
  tallyRequests(): Promise<Map<string, RequestCounts>>;
  /** The service is ready. From now on, HAProxy outlives this process, so that applications stay reachable. */
  keepProxyRunning(): void;
};

/** Opens the edge in a prepared data directory (`running-service.ts`). Throws StartError. */
export async function openEdge(settings: OpenEdgeSettings, parts: EdgeParts): Promise<OpenEdge> {
  const { db, now, log } = parts;
  const { dataDir, port, appsDomain, clientConnections, isShared, edgeSilenceMs } = settings;
  await using opening = new AsyncDisposableStack();
  const edgeLog = log.child({ part: 'edge' });
  const limits = { connectionsPerClient: clientConnections, requestTimeoutMs };
  const place = isShared && { db, own: await ownEdge(dataDir), silenceMs: edgeSilenceMs, now };
  const answersUntil = place ? await announceEdge(place) : undefined;
  const { version, changed } = await routesSince(db, undefined);
  const sites = sitesOf(changed, appsDomain);
  const certificates = await openCertificates(settings, parts);
  const start = { answersUntil, certificates: certificates?.served ?? [] };
  const tls = settings.tls && { ...settings.tls, isIssued: settings.tls.from.kind === 'authority' };
  const edge = await startEdge({ ...settings, limits, tls }, edgeLog, sites, start).catch((error: Error) => {
    const isTaken = error instanceof PortTakenError;
    throw new StartError(
      isTaken ? `The port ${port} is taken: set BERTH_PORT to another one.\n${error.message}` : error.message,
    );
  });
  const owners = createAddressOwners();
  const sleepers = createSleepers();
  const listeners = [owners, sleepers];
  for (const listener of listeners) listener.replaceRoutes(changed);
  const feed = createRouteFeed(db, edge, { appsDomain, log: edgeLog, version, listeners });
  opening.use(
    runRounds({
      name: 'routes',
      everyMs: compareEveryMs,
      isDelayed: true,
      metrics: parts.metrics,
      work: feed.compare,
      onFault: (err) => edgeLog.warn({ err }, 'routes cannot be compared'),
    }),
  );
  opening.use(
    runRounds({
      name: 'haproxy',
      everyMs: mendEveryMs,
      isDelayed: true,
      metrics: parts.metrics,
      work: edge.mend,
      onFault: (err) => edgeLog.warn({ err }, 'HAProxy cannot be checked'),
    }),
  );
  let isKept = !edge.isNew;
  opening.defer(async () => {
    await edge.close();
    if (!isKept) await stopEdge(dataDir);
  });
  const { promise: answers, resolve: startReading } = Promise.withResolvers<void>();
  if (certificates) opening.use(certificates.follow(edge, edgeLog, answers));
  const shared =
    place && opening.use(await shareRoutes({ ...place, feed, edge, log: edgeLog, metrics: parts.metrics }));
  const tally = createRequestTally();
  const open = opening.move();
  return {
    refresh: feed.refresh,
    sleepers,
    ...(shared && { othersServe: shared.othersServe, othersLead: shared.othersLead }),
    onRoutes: () => {
      if (shared) shared.onRoutes();
    },
    countUnderWay: async (addresses) => {
      const counts = [edge.countUnderWay(addresses), shared ? shared.countUnderWay(addresses) : 0];
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    },
    tallyRequests: async () => tally(await edge.countRequests(), owners.ownerOf),
    keepProxyRunning: () => {
      isKept = true;
      startReading();
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Undefined without HTTPS. Throws StartError. */
async function openCertificates(
  { tls, baseUrl, appsDomain }: OpenEdgeSettings,
  { onCertificates = () => {}, ...parts }: EdgeParts,
): Promise<CertificateSource | undefined> {
  if (!tls) return undefined;
  const { from } = tls;
  const apiHost = baseUrl.hostname;
  if (from.kind === 'authority')
    return await openAcmeSource({ ...from.authority, apiHost, appsDomain }, { ...parts, onCertificates });
  return await openFileSource({ files: from.files, hosts: [apiHost, `*.${appsDomain}`] }, { ...parts, onCertificates });
}

/** Certificates of the operator's files, as a source of the edge. */

/** Throws StartError when the files cannot be served. */
async function openFileSource(
  { files, hosts }: { files: readonly CertificateFiles[]; hosts: readonly string[] },
  {
    now,
    onCertificates,
    mailOperator,
  }: { now: () => Instant; onCertificates: CertificateListener; mailOperator?: MailOperator | undefined },
): Promise<CertificateSource> {
  const source = { files, hosts, now };
  const read = await readCertificateFiles(source);
  if (!read.ok) throw new StartError(`BERTH_TLS_CERTIFICATE: ${read.because}`);
  const { certificates: served } = read;
  // The operator has chosen how they are renewed, and that is not seen from here.
  const reportServed = (served: readonly FileCertificate[]) =>
    onCertificates({ served, missing: 0, failing: 0, isReady: true, isRenewed: true, waiting: new Map() });
  reportServed(served);
  return {
    served,
    follow(edge: Pick<Edge, 'certify'>, log: EdgeLog): AsyncDisposable {
      const alarm = async ({ expiresAt }: FileCertificate) => {
        await mailOperator?.(endingMail(hosts, expiresAt)).catch((error: NodeJS.ErrnoException) => {
          log.warn({ reason: error.code }, 'the email about certificates to the operator could not be sent');
        });
      };
      const put = (certificates: FileCertificate[]) =>
        edge.certify(certificates).then(() => reportServed(certificates));
      return followCertificateFiles({ ...source, served, alarm }, put, log);
    },
  };
}

function endingMail(hosts: readonly string[], expiresAt: Instant): { subject: string; text: string } {
  const end = new Date(expiresAt).toISOString();
  return {
    subject: `A certificate of ${hosts[0]} is about to end`,
    text: `A certificate for ${hosts.join(' or ')} ends at ${end}, and its files (BERTH_TLS_CERTIFICATE) are not renewed.\n`,
  };
}
