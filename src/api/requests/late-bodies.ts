/** Limits the time in which a request must arrive. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { answerUnreadable } from '../../lib/malformed-requests.ts';
import { hasUnreadBody } from '../../lib/unread-body.ts';

/** For a request without a source archive, and for the headers of any request. */
export const requestTimeoutMs = 30_000;

/** For any request; 512 MiB at 5 Mbit/s. */
export const longestRequestMs = 15 * 60_000;

/** The interval of Node's check for slow requests. */
export const requestChecksMs = 15_000;

/** Ends requests without a source archive whose body has not arrived in time. */
export function endLateRequests(app: FastifyInstance): void {
  const timers = new WeakMap<FastifyRequest, NodeJS.Timeout>();
  const stop = async (request: FastifyRequest) => clearTimeout(timers.get(request));
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.takesSources || !hasUnreadBody(request.raw)) return;
    const late = Object.assign(new Error('the request is late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    timers.set(request, setTimeout(() => answerUnreadable(late, request.raw.socket), requestTimeoutMs).unref());
  });
  app.addHook('preValidation', stop);
  app.addHook('onResponse', stop);
}
