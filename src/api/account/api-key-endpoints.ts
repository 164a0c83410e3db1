/** Creates, lists and revokes the API keys of an account. Requires a sign-in; an API key is not enough. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Instant } from '../../deployment/deployment.ts';
import { newId, newToken } from '../../lib/ids.ts';
import { type Problem, type Result, refuse, succeed } from '../../lib/problem.ts';
import { addApiKey, apiKeysOf, removeApiKey } from '../../store/api-keys.ts';
import type { Database } from '../../store/database.ts';
import type { Service } from '../api-service.ts';
import { ErrorRecord, MessageRecord } from '../deployments/deployment-schemas.ts';
import { apiKeyPrefix, requireSignedIn } from '../requests/callers.ts';
import { orRefuse, RefusedRequest } from '../requests/errors.ts';

export const ApiKeyRecord = Type.Object({
  id: Type.String(),
  name: Type.String(),
  start: Type.String({ description: 'The first characters of the key.' }),
  createdAt: Type.String({ format: 'date-time' }),
  lastUsedAt: Type.Optional(Type.String({ format: 'date-time' })),
});

export function apiKeyEndpoints(service: Service): FastifyPluginAsyncTypebox {
  const { db, now } = service;
  return async (app) => {
    app.get(
      '/api/keys',
      {
        schema: {
          operationId: 'listKeys',
          summary: 'The API keys of the account that is signed in',
          tags: ['accounts'],
          description: 'Returns names and first characters. The service does not store the keys.',
          access: 'sign-in',
          response: { 200: Type.Object({ keys: Type.Array(ApiKeyRecord) }), '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const accountId = orRefuse(await requireSignedIn(service, request));
        const keys = await apiKeysOf(db, accountId);
        return {
          keys: keys.map(({ createdAt, lastUsedAt, ...key }) => ({
            ...key,
            createdAt: new Date(createdAt).toISOString(),
            ...(lastUsedAt !== null && { lastUsedAt: new Date(lastUsedAt).toISOString() }),
          })),
        };
      },
    );

    app.post(
      '/api/keys',
      {
        schema: {
          operationId: 'addKey',
          summary: 'Create an API key; the response is the only one that contains it',
          tags: ['accounts'],
          description: 'A key authenticates as the account with `Authorization: Bearer`.',
          access: 'sign-in',
          refusals: ['plan_limit_reached'],
          body: Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }),
          response: {
            200: Type.Object({ id: Type.String(), name: Type.String(), key: Type.String() }),
            '4xx': ErrorRecord,
          },
        },
      },
      async (request) => {
        const accountId = orRefuse(await requireSignedIn(service, request));
        return orRefuse(await makeApiKey(db, accountId, { name: request.body.name, createdAt: now() }));
      },
    );

    app.delete(
      '/api/keys/:id',
      {
        schema: {
          operationId: 'removeKey',
          summary: 'Revoke an API key',
          tags: ['accounts'],
          description: 'The service refuses further requests with the key.',
          access: 'sign-in',
          refusals: ['api_key_not_found'],
          params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
          response: { 200: MessageRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const accountId = orRefuse(await requireSignedIn(service, request));
        const isRemoved = await removeApiKey(db, accountId, request.params.id);
        if (!isRemoved) throw new RefusedRequest(unknownKey);
        return { message: 'The API key has been revoked.' };
      },
    );
  };
}

const { problem: unknownKey }: { problem: Problem } = refuse(
  'api_key_not_found',
  'The account has no such API key.',
  'GET /api/keys lists them.',
);

/** Creates an API key, for a signed-in user or for a command line whose login the user has confirmed. */

/** The maximum number of keys. More would be hard to distinguish. It also limits the storage of one account. */
const maxKeys = 50;

/** Four of the 32 random letters of a key are shown later. They identify the key and are too few to guess it. */
const shownLetters = 4;

export type NewApiKey = { id: string; name: string; key: string };

export async function roomForKey(db: Database, accountId: string): Promise<Result<undefined>> {
  if ((await apiKeysOf(db, accountId)).length < maxKeys) return succeed(undefined);
  return refuse(
    'plan_limit_reached',
    `An account has at most ${maxKeys} API keys.`,
    'Revoke a key that you no longer use.',
  );
}

/** The key is stored hashed, so it is only returned here. */
export async function makeApiKey(
  db: Database,
  accountId: string,
  { name, createdAt }: { name: string; createdAt: Instant },
): Promise<Result<NewApiKey>> {
  const room = await roomForKey(db, accountId);
  if (!room.ok) return room;
  const [id, key] = [newId(), newToken(apiKeyPrefix)];
  const start = key.slice(0, apiKeyPrefix.length + 1 + shownLetters);
  await addApiKey(db, accountId, { id, name, key, start, createdAt });
  return succeed({ id, name, key });
}
