/** PURE. Returns whether a client accepts a page: browsers, and clients that send the same header. */
import type { FastifyRequest } from 'fastify';

export function wantsHtml({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? '');
}
