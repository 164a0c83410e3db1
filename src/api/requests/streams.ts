/** Limits long-lived responses (events, followed logs, waiting for a status), because they poll the store. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../../lib/problem.ts';
import { clientKey } from './client-address.ts';
import type { CountExchange } from './count-exchange.ts';

/** A dashboard has two for each application that it shows. Each polls 4 times a second, at 0.1 ms each. */
const maxOfSession = 20;
const maxOfClient = 60;
const retryAfterSeconds = 10;

export type Streams = {
  /** Takes a place until the response has ended. If all are taken, returns the problem. */
  open(request: FastifyRequest, reply: FastifyReply, sessionId: string): Problem | undefined;
};

/** `networkPool`: the network of the applications' containers. `exchange`: the counts of other processes' streams. */
export function createStreams(networkPool: string, exchange?: CountExchange): Streams {
  const open = new Map<string, number>();
  const openInAll = (key: string) => (open.get(key) ?? 0) + (exchange?.openElsewhere(key) ?? 0);
  const change = (keys: string[], by: number) => {
    for (const key of keys) {
      const count = (open.get(key) ?? 0) + by;
      if (count > 0) open.set(key, count);
      else open.delete(key);
      exchange?.setOpen(key, count);
    }
  };
  return {
    open(request, reply, sessionId) {
      const session = `session ${sessionId}`;
      const client = `client ${clientKey(request, networkPool)}`;
      const isFull = openInAll(session) >= maxOfSession || openInAll(client) >= maxOfClient;
      // A disconnected client would never release its place.
      if (isFull || reply.raw.destroyed) return tooMany;
      change([session, client], 1);
      // Sends the headers of a stream before its first data, so that the client sees that it is open.
      reply.raw.once('pipe', () => reply.raw.flushHeaders());
      reply.raw.once('close', () => change([session, client], -1));
      return undefined;
    },
  };
}

const tooMany: Problem = {
  code: 'rate_limited',
  error: 'Too many streams or waiting requests are open at once.',
  hint: `Close some of them. A session has ${maxOfSession}, a client address ${maxOfClient}.`,
  retryAfterSeconds,
};
