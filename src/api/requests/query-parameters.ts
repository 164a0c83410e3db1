/** Query parameters that an endpoint does not know: whoever sends one expects something of it, and is told. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { nearestName } from '../../config/diagnostics/suggest.ts';

/** Nobody reads more. */
const mostWarnings = 5;
/** What may be repeated to the caller, and to logs on the way: no token looks like it. */
const harmless = /^[a-zA-Z][\w.-]{0,29}$/;

type Described = { properties?: Record<string, unknown> };

/** A sentence for each parameter of the query that has no meaning for the request's endpoint. */
export function unknownParameters({ query, routeOptions }: Pick<FastifyRequest, 'query' | 'routeOptions'>): string[] {
  const known = Object.keys((routeOptions.schema?.querystring as Described | undefined)?.properties ?? {});
  const unknown = Object.keys(query as object).filter((name) => !known.includes(name));
  return unknown.slice(0, mostWarnings).map((name) => {
    if (!harmless.test(name)) return 'A query parameter is unknown and was ignored.';
    const meant = nearestName(name, known);
    return `The query parameter ${name} is unknown and was ignored${meant ? ` (did you mean ${meant}?)` : ''}.`;
  });
}

/** For answers that have `warnings` only when there is something to warn of. */
export function parameterWarnings(request: Pick<FastifyRequest, 'query' | 'routeOptions'>): { warnings?: string[] } {
  const warnings = unknownParameters(request);
  return warnings.length > 0 ? { warnings } : {};
}

/** Also as the header `Warning`, which every answer can have. Pages and files have parameters of others. */
export function warnOfParameters(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply) => {
    if (request.routeOptions.schema?.operationId === undefined) return;
    for (const warning of unknownParameters(request)) reply.header('Warning', `299 - "${warning}"`);
  });
}
