/**
 * Accepts a session token (and the application) in further places: in the path, in the query of a request with a JSON
 * body, in the JSON that wraps a configuration. It is moved to the place that the endpoint reads before the request is
 * validated.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';

/** The header is not included: it is read if no other place has a token. */
export const movable = ['sessionToken', 'applicationName', 'environment', 'forget'] as const;

/** The parameters of a path that ends with a session token. */
export const TokenPath = Type.Object({
  sessionToken: Type.String({ maxLength: 200, description: 'The session token.' }),
});

type Fields = Record<string, unknown>;
type Described = { properties?: Fields };

/** Runs before any handler that looks for a token. */
export function gatherTokens(app: FastifyInstance): void {
  app.addHook('preValidation', async (request) => {
    const { params, query } = request as { params: Fields; query: Fields };
    const { querystring, params: path } = (request.routeOptions.schema ?? {}) as Record<string, Described | undefined>;
    if (path?.properties?.sessionToken) fill(query, params, querystring);
    completeBody(request);
  });
}

/** Moves the fields next to a wrapped configuration into the query. @returns whether there was a token. */
export function moveToQuery(request: Pick<FastifyRequest, 'query' | 'routeOptions'>, wrapper: Fields): boolean {
  const query = request.query as Fields;
  const before = query.sessionToken;
  fill(query, wrapper, request.routeOptions.schema?.querystring as Described | undefined);
  return query.sessionToken !== before;
}

/** Fields that a JSON body lacks are read from the query. If the query has all of them, the body may be missing. */
function completeBody(request: FastifyRequest): void {
  const described = request.routeOptions.schema?.body as Described | undefined;
  if (!described?.properties?.sessionToken) return;
  const query = request.query as Fields;
  if (request.body === undefined || request.body === null) {
    if (movable.some((name) => query[name] !== undefined)) request.body = {};
  }
  const { body } = request;
  if (typeof body === 'object' && body !== null) fill(body as Fields, query, described);
}

/** Copies the movable fields that the target's schema contains and that the target lacks. */
function fill(target: Fields, source: Fields, described: Described | undefined): void {
  for (const name of movable) {
    if (described?.properties?.[name] === undefined || target[name] !== undefined) continue;
    if (Object.hasOwn(source, name)) target[name] = source[name];
  }
}
