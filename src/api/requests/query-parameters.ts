/**
 * Handles query parameters that an endpoint does not define. A request that changes something is refused, because its
 * sender may rely on the parameter: `?dryrun=true` instead of `dryRun` would deploy. Other responses contain a warning.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { nearestName } from '../../config/diagnostics/suggest.ts';
import { RefusedRequest } from './errors.ts';
import { movable } from './token-places.ts';

/** Users do not read more. */
const maxWarnings = 5;
/** Names that may be repeated to the caller and in logs. Tokens do not match. */
const harmless = /^[a-zA-Z][\w.-]{0,29}$/;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A request with a body that changes nothing. */
    changesNothing?: boolean;
  }
}

type Described = { properties?: Record<string, unknown> };
type QueryRequest = Pick<FastifyRequest, 'query' | 'routeOptions'>;

/** A sentence for each parameter of the query that has no meaning for the request's endpoint. */
export function unknownParameters(request: QueryRequest): string[] {
  return unknownNames(request).map((words) => `${words.start} is unknown and was ignored${words.meant}.`);
}

/** `start` names the parameter if it is safe to repeat. `meant` is a suggestion in parentheses, or empty. */
function unknownNames({ query, routeOptions }: QueryRequest): { start: string; meant: string }[] {
  const { querystring, body } = (routeOptions.schema ?? {}) as Record<string, Described | undefined>;
  const known = Object.keys(querystring?.properties ?? {});
  // Public clients send the name of the application in every request with a JSON body, for all endpoints.
  const moved: readonly string[] = body?.properties ? movable : [];
  const unknown = Object.keys(query as object).filter((name) => ![...known, ...moved].includes(name));
  return unknown.slice(0, maxWarnings).map((name) => {
    if (!harmless.test(name)) return { start: 'A query parameter', meant: '' };
    const meant = nearestName(name, known);
    return { start: `The query parameter ${name}`, meant: meant ? ` (did you mean ${meant}?)` : '' };
  });
}

/** Refuses requests that change something. Register it before the hooks that read bodies. */
export function refuseUnknownParameters(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    const { schema, config } = request.routeOptions;
    const isReading = ['GET', 'HEAD'].includes(request.method) || config.changesNothing;
    if (schema?.operationId === undefined || isReading) return;
    const [first] = unknownNames(request);
    if (!first) return;
    throw new RefusedRequest({
      code: 'invalid_request',
      error: `${first.start} is unknown${first.meant}. Nothing was changed.`,
      hint: parametersHint(schema.querystring as Described | undefined),
    });
  });
}

/** The session token is left out: it belongs in a header. */
function parametersHint(querystring: Described | undefined): string {
  const names = Object.keys(querystring?.properties ?? {}).filter((name) => name !== 'sessionToken');
  if (names.length === 0) return 'GET /docs lists the parameters of each request.';
  return `This request has the query parameters ${names.join(', ')}. GET /docs describes them.`;
}

/** For responses that have `warnings` only if there are any. */
export function parameterWarnings(request: Pick<FastifyRequest, 'query' | 'routeOptions'>): { warnings?: string[] } {
  const warnings = unknownParameters(request);
  return warnings.length > 0 ? { warnings } : {};
}

/**
 * Also sends the header `Warning`, which every response can have. Pages and files may have parameters of other
 * programs.
 */
export function warnOfParameters(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply) => {
    if (request.routeOptions.schema?.operationId === undefined) return;
    for (const warning of unknownParameters(request)) reply.header('Warning', `299 - "${warning}"`);
  });
}
