/** The security headers of API responses, and refusals of cross-site browser requests. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../../lib/problem.ts';

/**
 * For responses that are not pages: if a browser ever showed one as a page, it could do nothing. Pages set their own
 * policy.
 */
export const emptyPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A year, as the lists of browsers ask for. Subdomains are not spoken for: applications may live on one. */
const onlyHttps = 'max-age=31536000';

/**
 * Set first, so that a page's own handlers and hooks can override the headers. @param staysHttps the address is and
 * will stay HTTPS.
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
 * Returns whether a browser sent the request for a page of another site. Such a page cannot read the response (CORS is
 * not enabled), but the change would already be done: it could start deployments in the name of its visitor, even on a
 * laptop's Berth. A deployed application is another site, even if its host is similar. Programs send no origin; with a
 * cookie, which only browsers have, a missing origin is not enough (`callers.ts`).
 */
export function isCrossSite(request: Request, baseUrl: URL): boolean {
  const { origin, 'sec-fetch-site': site, authorization } = request.headers;
  if (isSafe(request) || (origin === undefined && site === undefined)) return false;
  // For this header, a browser sends a preflight request for other sites, which is refused.
  if (authorization !== undefined) return false;
  // The user typed the address or opened a bookmark.
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

/** The origin of a request as the browser reports it. Pages cannot change it. */
export function isSameOrigin({ headers }: Request, baseUrl: URL): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const origin = URL.parse(String(headers.origin));
  if (origin === null || headers.host === undefined) return false;
  return origin.origin === baseUrl.origin || origin.host === normalHost(headers.host, origin.protocol);
}

/** Normalizes a host as in a URL: in lower case, without the scheme's default port. */
function normalHost(host: string, protocol: string): string | undefined {
  return URL.parse(`${protocol}//${host}`)?.host;
}
