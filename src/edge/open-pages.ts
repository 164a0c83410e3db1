/** The pages behind HAProxy: for sites that are not live. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Instant } from '../deployment/deployment.ts';
import { type CertificateReport, type CertificateWait, certificateWait } from '../lib/certificate-report.ts';
import { answerExpectations, answerUnreadable } from '../lib/malformed-requests.ts';
import { hasUnreadBody } from '../lib/unread-body.ts';
import { challengeAnswer } from '../store/acme.ts';
import type { Database } from '../store/database.ts';
import { StoreFault } from '../store/store-fault.ts';
import { normalHost } from './canonical-host.ts';
import type { EdgeLog } from './edge-settings.ts';
import { challengePath } from './haproxy/tls-rules.ts';
import { faultPage } from './pages/fault-pages.ts';
import type { SiteState } from './pages/site-answers.ts';
import { statePage } from './pages/site-pages.ts';
import { siteState } from './served-sites.ts';
import type { Admit } from './server-sockets.ts';
import { admitAt } from './sockets.ts';

/** Wakes up the deployment at a host; resolves when its requests need not wait any more. */
type Waking = { wakeSite: (host: string) => Promise<void> };

export type PagesParts = Waking & {
  db: Database;
  now: () => Instant;
  admit: Admit;
  log: Logger;
  /** The edge's certificates, and the waiting hosts. */
  certificates?: () => CertificateReport | undefined;
};

export type PageSettings = {
  appsDomain: string;
  baseUrl: URL;
  /** An authority issues certificates. */
  acmeDirectory: URL | undefined;
};

export async function openPages(
  { appsDomain, baseUrl, acmeDirectory }: PageSettings,
  { db, now, admit, log, wakeSite, certificates }: PagesParts,
): Promise<AsyncDisposable & { server: Server }> {
  const lookUp = (host: string) => siteState(db, { host, appsDomain, baseUrl, now: now() });
  const answer = (host: string, token: string) => challengeAnswer(db, { host, token, now: now() });
  const publicPort = Number(baseUrl.port || 443);
  const challenges = acmeDirectory && {
    answer,
    publicPort,
    apiHost: baseUrl.hostname,
    wait: (host: string) => certificateWait(certificates?.(), host),
  };
  const { server, close } = await startPageServer(admit, lookUp, log, { challenges, wakeSite });
  return { server, [Symbol.asyncDispose]: close };
}

/** The page server: responds for sites without a route, on a socket that only HAProxy can reach. */

export type PageServer = { server: Server; close(): Promise<void> };

/** The state of the deployment at a host; the host is normalized. */
type LookUp = (host: string) => Promise<SiteState | undefined>;

/** The answer to an authority's challenge for a host, or undefined for an unknown token. */
type AnswerChallenge = (host: string, token: string) => Promise<string | undefined>;

/** The challenges of an authority. They are answered without HTTPS. Other requests are redirected. */
type Challenges = {
  answer: AnswerChallenge;
  publicPort: number;
  /** The service's own host. */
  apiHost: string;
  /** The reason why this host has no certificate yet; undefined if it has one, or needs none. */
  wait: (host: string) => CertificateWait | undefined;
};

/** Serves the state pages at `socket`, in a run directory that exists (`prepareRunDirectory`), or where it is admitted. */
export async function startPageServer(
  socket: string | Admit,
  lookUp: LookUp,
  log: EdgeLog,
  { challenges, wakeSite = async () => {} }: { challenges?: Challenges | undefined } & Partial<Waking> = {},
): Promise<PageServer> {
  const server = createServer((request, response) => {
    // HAProxy removes such a header of clients.
    const isWake = request.headers['x-berth-wake'] !== undefined;
    const answered = isWake ? answerWake(request, response, wakeSite) : answer(request, response, lookUp, challenges);
    answered.catch((error: unknown) => {
      log.warn({ err: error }, 'a state page could not be made');
      if (error instanceof StoreFault && !response.headersSent) return answerAway(request, response);
      if (!response.headersSent) response.writeHead(500, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ error: 'The state of this site could not be read.', code: 'internal' }));
    });
  });
  server.on('clientError', answerUnreadable);
  answerExpectations(server);
  const admit = typeof socket === 'string' ? admitAt(socket) : socket;
  await admit(async (path) => {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
  });
  return {
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  lookUp: LookUp,
  challenges: Challenges | undefined,
): Promise<void> {
  const host = normalHost(request.headers.host ?? '');
  const wantsHtml = doesWantHtml(request);
  const path = (request.url ?? '/').split('?', 1)[0]!;
  const requested = { host: host ?? '', path, wantsHtml };
  if (!host) return send(request, response, statePage(undefined, requested));
  if (!challenges || request.headers['x-forwarded-proto'] !== 'http')
    return send(request, response, statePage(await lookUp(host), requested));
  const token = tokenPath.exec(path)?.[1];
  const text = token && (await challenges.answer(host, token));
  if (text) return send(request, response, challengePage(text));
  const [wait, site] = [challenges.wait(host), await lookUp(host)];
  const isExpected = site !== undefined || host === challenges.apiHost;
  // The edge sends token requests of every host here. For other paths, only hosts that had no certificate a moment ago.
  if (token && isExpected && !wait) return send(request, response, byHttps(host, request.url!, challenges.publicPort));
  const unplanned = isExpected ? ({ because: site?.isElsewhere ? 'elsewhere' : 'ordered' } as const) : undefined;
  send(request, response, statePage(site, { ...requested, wait: wait ?? unplanned }));
}

async function answerWake(
  request: IncomingMessage,
  response: ServerResponse,
  wakeSite: Waking['wakeSite'],
): Promise<void> {
  const host = normalHost(request.headers.host ?? '');
  if (host) await wakeSite(host);
  response.writeHead(204).end();
}

const tokenPath = new RegExp(`^${challengePath}$`);

function challengePage(text: string): Page {
  return { status: 200, headers: { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' }, body: text };
}

/** The edge does the same with all other paths. */
function byHttps(host: string, path: string, publicPort: number): Page {
  const port = publicPort === 443 ? '' : `:${publicPort}`;
  return { status: 308, headers: { Location: `https://${host}${port}${path}` }, body: '' };
}

/** The database is unavailable. The site itself has no problem, and a retry may succeed. */
function answerAway(request: IncomingMessage, response: ServerResponse): void {
  const { html, json, headers, htmlHeaders } = faultPage('pages', 503);
  const page = doesWantHtml(request)
    ? { headers: { ...htmlHeaders, 'Content-Type': 'text/html; charset=utf-8' }, body: html }
    : { headers: { ...headers, 'Content-Type': 'application/json' }, body: json };
  send(request, response, { status: 503, ...page });
}

function doesWantHtml({ headers }: IncomingMessage): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '');
}

type Page = { status: number; headers: Record<string, string>; body: string };

function send(request: IncomingMessage, response: ServerResponse, { status, headers, body }: Page): void {
  response.writeHead(status, {
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    ...(hasUnreadBody(request) && { Connection: 'close' }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
