/** What the answers of the API tell browsers, and which requests of browsers are refused. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../../lib/problem.ts';

/** For answers that are no pages: were one ever shown as a page, it could do nothing. Pages set a policy of their own. */
export const emptyPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A year, as the lists of browsers ask for. Subdomains are not spoken for: applications may live on one. */
const onlyHttps = 'max-age=31536000';

/**
 * Set before anything else: a page's own handlers and hooks have the last word.
 * @param staysHttps the address is one of HTTPS, and will be.
 */
export function secureHeaders(reply: FastifyReply, staysHttps: boolean): void {
  reply.headers({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': emptyPolicy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    ...(staysHttps && { 'Strict-Transport-Security': onlyHttps }),
  });
}

/**
 * Whether a browser sends this for a page of another site. Such a page cannot read an answer (there is no CORS here),
 * but what changes something has happened by then: it would start deployments in the name of whoever looks at it, on a
 * laptop's Berth too. An application is another site, however near its host. Programs say nothing of where they come
 * from; with a cookie, which only browsers have, that is not enough (`callers.ts`).
 */
export function isCrossSite(request: Request, baseUrl: URL): boolean {
  const { origin, 'sec-fetch-site': site, authorization } = request.headers;
  if (isSafe(request) || (origin === undefined && site === undefined)) return false;
  // A browser asks first whether a page of another site may send this header, and is not told that it may.
  if (authorization !== undefined) return false;
  // A person who types an address, or comes from a bookmark.
  return site !== 'none' && !isSameOrigin(request, baseUrl);
}

export const crossSite: Problem = {
  code: 'cross_site_request',
  error: 'Pages of other sites may not send this request.',
  hint: 'Send the request from a program, or from a page at the address of this service.',
};

type Request = Pick<FastifyRequest, 'method' | 'headers'>;

export function isSafe({ method }: Pick<FastifyRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** What a browser says of where a request comes from; no page can make it say another thing. */
export function isSameOrigin({ headers }: Request, baseUrl: URL): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const origin = URL.parse(String(headers.origin));
  if (origin === null || headers.host === undefined) return false;
  return origin.origin === baseUrl.origin || origin.host === normalHost(headers.host, origin.protocol);
}

/** As a URL has it: without the scheme's own port, in lower case. */
function normalHost(host: string, protocol: string): string | undefined {
  return URL.parse(`${protocol}//${host}`)?.host;
}
