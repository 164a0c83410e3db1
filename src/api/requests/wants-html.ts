/** PURE. Who is shown a page: a browser, and what asks as one. */
import type { FastifyRequest } from 'fastify';

export function wantsHtml({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? '');
}
