/** Ends open responses when their token or key is revoked, by any process. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { wait } from '../../lib/wait.ts';
import type { Service } from '../api-service.ts';
import { type Given, isKnown } from './callers.ts';

/** An indexed query of 0.1 ms, as often as streams poll for changes. */
const lookEveryMs = 250;

/** Aborts when the caller's credentials are revoked, and when the response is closed. */
export function untilRevoked(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  given: Given,
): { stop: AbortSignal; isKnown: () => Promise<boolean> } {
  const stop = new AbortController();
  if (reply.raw.destroyed) stop.abort();
  else reply.raw.once('close', () => stop.abort());
  const look = async () => {
    while (!stop.signal.aborted) {
      await wait(lookEveryMs, stop.signal);
      if (!stop.signal.aborted && !(await isKnown(service, request, given))) stop.abort();
    }
  };
  // If the store does not answer, access is treated as revoked.
  look().catch(() => stop.abort());
  return { stop: stop.signal, isKnown: () => isKnown(service, request, given) };
}
