/** The API keys of an account: made, listed and revoked by whoever is signed in, never by a key itself. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { newId, newToken } from '../../lib/ids.ts';
import { type Problem, refuse } from '../../lib/problem.ts';
import { addApiKey, apiKeysOf, removeApiKey } from '../../store/api-keys.ts';
import type { Service } from '../api-service.ts';
import { ErrorRecord, MessageRecord } from '../deployments/deployment-records.ts';
import { apiKeyPrefix, requireSignedIn } from '../requests/callers.ts';
import { sendProblem } from '../requests/errors.ts';

/** More than anybody can tell apart; it bounds what one account can store. */
const mostKeys = 50;
/** Of its 32 random letters, so many are shown later: enough to know it by, too few to guess it. */
const shownLetters = 4;

export const ApiKeyRecord = Type.Object({
  id: Type.String(),
  name: Type.String(),
  start: Type.String({ description: 'What the key begins with.' }),
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
          response: { 200: Type.Object({ keys: Type.Array(ApiKeyRecord) }), '4xx': ErrorRecord },
        },
      },
      async (request, reply) => {
        const accountId = await requireSignedIn(service, request);
        if (!accountId.ok) return sendProblem(reply, accountId.problem);
        const keys = await apiKeysOf(db, accountId.value);
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
          summary: 'Make an API key; it is shown this once',
          body: Type.Object({ name: Type.String({ minLength: 1, maxLength: 100 }) }),
          response: {
            200: Type.Object({ id: Type.String(), name: Type.String(), key: Type.String() }),
            '4xx': ErrorRecord,
          },
        },
      },
      async (request, reply) => {
        const accountId = await requireSignedIn(service, request);
        if (!accountId.ok) return sendProblem(reply, accountId.problem);
        if ((await apiKeysOf(db, accountId.value)).length >= mostKeys) return sendProblem(reply, tooManyKeys);
        const { name } = request.body;
        const [id, key] = [newId(), newToken(apiKeyPrefix)];
        const start = key.slice(0, apiKeyPrefix.length + 1 + shownLetters);
        await addApiKey(db, accountId.value, { id, name, key, start, createdAt: now() });
        return { id, name, key };
      },
    );

    app.delete(
      '/api/keys/:id',
      {
        schema: {
          operationId: 'removeKey',
          summary: 'Revoke an API key',
          params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
          response: { 200: MessageRecord, '4xx': ErrorRecord },
        },
      },
      async (request, reply) => {
        const accountId = await requireSignedIn(service, request);
        if (!accountId.ok) return sendProblem(reply, accountId.problem);
        const isRemoved = await removeApiKey(db, accountId.value, request.params.id);
        return isRemoved ? { message: 'The API key has been revoked.' } : sendProblem(reply, unknownKey);
      },
    );
  };
}

const { problem: tooManyKeys }: { problem: Problem } = refuse(
  'plan_limit_reached',
  `An account has at most ${mostKeys} API keys.`,
  'Revoke one that is not used any more.',
);

const { problem: unknownKey }: { problem: Problem } = refuse(
  'api_key_not_found',
  'The account has no such API key.',
  'GET /api/keys lists them.',
);
