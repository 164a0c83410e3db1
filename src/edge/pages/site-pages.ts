/** The answer of a site without a ready pod: the state of its deployment, as a page or as JSON. Pure. */
import { matchesPath } from '../route-maps.ts';
import { certificatePage, type PageWait } from './certificate-page.ts';
import { type PageAnswer as Answer, renderPage } from './page-layout.ts';
import {
  deploying,
  failed,
  gone,
  interrupted,
  type SiteState,
  stopped,
  suspended,
  unknown,
  unserved,
  waking,
} from './site-answers.ts';

/** `host` and `path` of the request. `wait`: the request came without TLS, and the host does not have a certificate. */
export type PageRequest = { host: string; path: string; wantsHtml: boolean; wait?: PageWait | undefined };

export type PageResponse = { status: number; headers: Record<string, string>; body: string };

/** The page for a host; `undefined` is a host that nothing was ever deployed at. */
export function statePage(site: SiteState | undefined, request: PageRequest): PageResponse {
  const answer = answerOf(site, request);
  const isWaiting = answer.code === 'certificate_missing';
  const headers: Record<string, string> = {
    'Cache-Control': 'no-store',
    'X-Robots-Tag': 'noindex',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    Vary: 'Accept',
    // Our own hosts do not count as guesses.
    'X-Berth-State': site?.state ?? (isWaiting ? 'waiting' : 'unknown'),
    ...(isWaiting && { 'X-Berth-Certificate': 'waiting' }),
    ...(answer.retryAfterSeconds && { 'Retry-After': `${answer.retryAfterSeconds}` }),
  };
  if (!request.wantsHtml)
    return {
      status: answer.status,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: asJson(answer, site),
    };
  const page = renderPage(answer.page);
  return {
    status: answer.status,
    headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': page.policy },
    body: page.html,
  };
}

function answerOf(site: SiteState | undefined, request: PageRequest): Answer {
  const { wait } = request;
  const isLive = site?.state === 'running' || site?.state === 'degraded' || site?.state === 'serving';
  if (wait && (isLive || !site)) return certificatePage(wait, site);
  switch (site?.state) {
    case 'deploying':
      return deploying(site);
    case 'failed':
      return failed(site);
    case 'running':
    case 'degraded':
    case 'serving':
      return site.isIncomplete || site.paths?.some((path) => matchesPath(path, request.path))
        ? interrupted(site)
        : unserved(site, request.path);
    case 'asleep':
      return waking(site);
    case 'stopped':
      return site.isSuspended ? suspended(site) : stopped(site);
    case 'expired':
    case 'removed':
      return gone(site);
    default:
      return unknown(request.host);
  }
}

/** The page reads `progress` and `pods` from here while it waits. */
function asJson({ error, code, hint }: Answer, site: SiteState | undefined): string {
  if (!site) return JSON.stringify({ error, code, hint });
  const { applicationName, environment, state, progress, pods } = site;
  return JSON.stringify({ error, code, hint, applicationName, environment, state, progress, pods });
}
