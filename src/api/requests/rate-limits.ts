/**
 * Rate limits per client address and session token. Reported in the fields of the IETF's draft
 * (draft-ietf-httpapi-ratelimit-headers-10): `RateLimit-Policy` contains the limits, `RateLimit` the remaining quota.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashToken } from '../../lib/ids.ts';
import type { Problem } from '../../lib/problem.ts';
import { type Allowance, createLimiter, type Limiter, type Rate } from '../../lib/rate-limit.ts';
import type { Service } from '../api-service.ts';
import { tokenOf } from './callers.ts';
import { clientKey } from './client-address.ts';
import { sendProblem } from './errors.ts';

/** The limit that a route counts against. Default: the general limit. */
export type LimitName = 'start' | 'sign-in' | 'general' | 'probe' | 'page' | 'mcp' | 'export' | 'fetch' | 'exec';

declare module 'fastify' {
  interface FastifyContextConfig {
    limit?: LimitName;
  }
}

/** Monitors send many cheap requests, which must not use up the limit of users at the same address. */
const probesPerRequest = 10;
/** The dashboard's page and the ten files that it loads come from memory. */
const filesPerRequest = 10;
/** API requests of tools are counted separately. In addition, there are greetings and lists of tools. */
const messagesPerRequest = 3;
/** Each command in a pod is a process, and a line of the audit log. */
const requestsPerCommand = 4;

const things: Record<string, string> = {
  start: 'starts',
  'sign-in': 'sign-ins',
  export: 'exports',
  fetch: 'fetched configurations',
  exec: 'commands',
  document: 'bytes of configurations',
};

export type Limits = {
  /** Counts a request of this client. If it exceeds the limit, sends the error and returns true. */
  refuseByAddress(request: FastifyRequest, reply: FastifyReply): boolean;
  /** Counts a request with this token, once its body has been read. */
  refuseByToken(request: FastifyRequest, reply: FastifyReply): boolean;
  /** Counts the further messages of a request that has several. */
  refuseByMessages(request: FastifyRequest, reply: FastifyReply, further: number): boolean;
  /** Counts the bytes of a client's document. A large document counts as much as many small ones. */
  refuseByBytes(request: FastifyRequest, reply: FastifyReply, bytes: number): boolean;
  /** Counts a start of this client, for a route that may start or update. Returns whether it is allowed. */
  allowsStart(request: FastifyRequest): boolean;
  /** Counts image lookups of this client, each a request to a registry. Returns whether they are allowed. */
  allowsImages(request: FastifyRequest, images: number): boolean;
};

export function createLimits({ settings, now, exchange }: Pick<Service, 'settings' | 'now' | 'exchange'>): Limits {
  const { startRate, signInRate, rate, documentRate, networkPool } = settings;
  const byAddress: Record<LimitName, Limiter> = {
    start: createLimiter(startRate),
    'sign-in': createLimiter(signInRate),
    general: createLimiter(rate),
    probe: createLimiter({ ...rate, count: rate.count * probesPerRequest }),
    page: createLimiter({ ...rate, count: rate.count * filesPerRequest }),
    // Each export copies volumes, which costs about as much as a start.
    export: createLimiter(startRate),
    // Each sends a request to a third party's server.
    fetch: createLimiter(startRate),
    exec: createLimiter({ ...rate, count: Math.ceil(rate.count / requestsPerCommand) }),
    mcp: createLimiter({ ...rate, count: rate.count * messagesPerRequest }),
  };
  const byToken = createLimiter(rate);
  const byBytes = createLimiter(documentRate);
  const byImages = createLimiter(rate);
  const all: Record<string, Limiter> = { ...byAddress, token: byToken, document: byBytes, image: byImages };
  exchange?.onCounts((limit, key, amount) => all[limit]?.take(key, now(), amount));

  /** Counts here and for the other processes. */
  function take(limit: string, key: string, amount: number): Allowance {
    exchange?.add(limit, key, amount);
    return all[limit]!.take(key, now(), amount);
  }

  /** Answers it, and returns true, when it is too much. */
  function count(reply: FastifyReply, limit: string, key: string, amount = 1): boolean {
    return refuse(reply, limit === 'general' ? 'address' : limit, all[limit]!.rate, take(limit, key, amount));
  }

  return {
    refuseByAddress(request, reply) {
      const name = request.routeOptions.config.limit ?? 'general';
      return count(reply, name, clientKey(request, networkPool));
    },
    refuseByMessages(request, reply, further) {
      return further > 0 && count(reply, 'mcp', clientKey(request, networkPool), further);
    },
    refuseByBytes(request, reply, bytes) {
      return count(reply, 'document', clientKey(request, networkPool), bytes);
    },
    allowsStart(request) {
      return take('start', clientKey(request, networkPool), 1).isAllowed;
    },
    allowsImages(request, images) {
      return take('image', clientKey(request, networkPool), images).isAllowed;
    },
    refuseByToken(request, reply) {
      if (request.routeOptions.config.limit === 'mcp') return false;
      const token = tokenIn(request);
      return token !== undefined && count(reply, 'token', hashToken(token));
    },
  };
}

function refuse(reply: FastifyReply, name: string, { count, windowMs }: Rate, allowance: Allowance): boolean {
  const { isAllowed, remaining, resetsInMs } = allowance;
  const seconds = Math.max(1, Math.ceil(resetsInMs / 1000));
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

/** Finds the token in all places where clients may put it. Texts of another form are not tokens. */
function tokenIn(request: FastifyRequest): string | undefined {
  const given = [request.query, request.body].map(sessionTokenOf).find((token) => token !== undefined);
  return tokenOf(request, given === undefined ? {} : { sessionToken: given });
}

function sessionTokenOf(part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null || !('sessionToken' in part)) return undefined;
  return typeof part.sessionToken === 'string' ? part.sessionToken : undefined;
}
