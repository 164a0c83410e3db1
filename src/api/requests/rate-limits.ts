/**
 * How much one client may ask, by its address and by its session token. Told in the fields of the IETF's draft
 * (draft-ietf-httpapi-ratelimit-headers-10): `RateLimit-Policy` says the limits, `RateLimit` what is left of them.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashToken } from '../../lib/ids.ts';
import type { Problem } from '../../lib/problem.ts';
import { createLimiter, type Limiter } from '../../lib/rate-limit.ts';
import type { Service } from '../api-service.ts';
import { tokenOf } from './callers.ts';
import { clientKey } from './client-address.ts';
import { sendProblem } from './errors.ts';

/** Which limit a route counts against; without a word, the general one. */
export type LimitName = 'start' | 'sign-in' | 'general' | 'probe' | 'page';

declare module 'fastify' {
  interface FastifyContextConfig {
    limit?: LimitName;
  }
}

/** Monitors ask often, and their questions cost nothing; nor may they use up what a person at their address has. */
const probesPerRequest = 10;
/** The dashboard's page and the ten files that it loads come from memory. */
const filesPerRequest = 10;

const things: Record<string, string> = {
  start: 'starts',
  'sign-in': 'sign-ins',
  document: 'bytes of configurations',
};

export type Limits = {
  /** Counts a request of this client; answers it, and returns true, when it is one too many. */
  refuseByAddress(request: FastifyRequest, reply: FastifyReply): boolean;
  /** Counts a request with this token, once its body has been read. */
  refuseByToken(request: FastifyRequest, reply: FastifyReply): boolean;
  /** Counts the bytes of a document of this client: a large one takes as much as many small ones. */
  refuseByBytes(request: FastifyRequest, reply: FastifyReply, bytes: number): boolean;
};

export function createLimits({ settings, now }: Pick<Service, 'settings' | 'now'>): Limits {
  const { startRate, signInRate, rate, documentRate, networkPool } = settings;
  const byAddress: Record<LimitName, Limiter> = {
    start: createLimiter(startRate),
    'sign-in': createLimiter(signInRate),
    general: createLimiter(rate),
    probe: createLimiter({ ...rate, count: rate.count * probesPerRequest }),
    page: createLimiter({ ...rate, count: rate.count * filesPerRequest }),
  };
  const byToken = createLimiter(rate);
  const byBytes = createLimiter(documentRate);

  return {
    refuseByAddress(request, reply) {
      const name = request.routeOptions.config.limit ?? 'general';
      return count(
        reply,
        name === 'general' ? 'address' : name,
        byAddress[name],
        clientKey(request, networkPool),
        now(),
      );
    },
    refuseByBytes(request, reply, bytes) {
      return count(reply, 'document', byBytes, clientKey(request, networkPool), now(), bytes);
    },
    refuseByToken(request, reply) {
      const token = tokenIn(request);
      return token !== undefined && count(reply, 'token', byToken, hashToken(token), now());
    },
  };
}

function count(reply: FastifyReply, name: string, limiter: Limiter, key: string, now: number, amount = 1): boolean {
  const { isAllowed, remaining, resetsInMs } = limiter.take(key, now, amount);
  const seconds = Math.max(1, Math.ceil(resetsInMs / 1000));
  const { count, windowMs } = limiter.rate;
  const unit = name === 'document' ? ';qu="content-bytes"' : '';
  add(reply, 'RateLimit-Policy', `"${name}";q=${count}${unit};w=${windowMs / 1000}`);
  add(reply, 'RateLimit', `"${name}";r=${remaining};t=${seconds}`);
  if (!isAllowed) sendProblem(reply, tooMany(name, seconds));
  return !isAllowed;
}

/** Both fields are lists. */
function add(reply: FastifyReply, header: string, item: string): void {
  const before = reply.getHeader(header);
  reply.header(header, before === undefined ? item : `${before}, ${item}`);
}

function tooMany(name: string, seconds: number): Problem {
  return {
    code: 'rate_limited',
    error: `Too many ${things[name] ?? 'requests'} ${name === 'token' ? 'with this token' : 'from your address'}.`,
    hint: `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    retryAfterSeconds: seconds,
  };
}

/** Wherever a client may put it; what has another form is no token. */
function tokenIn(request: FastifyRequest): string | undefined {
  const given = [request.query, request.body].map(sessionTokenOf).find((token) => token !== undefined);
  return tokenOf(request, given === undefined ? {} : { sessionToken: given });
}

function sessionTokenOf(part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null || !('sessionToken' in part)) return undefined;
  return typeof part.sessionToken === 'string' ? part.sessionToken : undefined;
}
