/** Lists, ends, replaces and extends the session tokens of an account. Requires a sign-in. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Deployment, Instant } from '../../deployment/deployment.ts';
import { sessionStarts } from '../../deployment/limits/session-starts.ts';
import { newToken } from '../../lib/ids.ts';
import { type Problem, refuse } from '../../lib/problem.ts';
import { activeDeploymentsOfAccount } from '../../store/deployments.ts';
import { endToken, replaceToken, type SessionToken, sessionTokensOf, setStarts } from '../../store/session-tokens.ts';
import { write } from '../../store/transaction.ts';
import type { Service } from '../api-service.ts';
import { ErrorRecord, MessageRecord } from '../deployments/deployment-schemas.ts';
import { requireSignedIn } from '../requests/callers.ts';
import { clientAddress } from '../requests/client-address.ts';
import { orRefuse, RefusedRequest } from '../requests/errors.ts';

const Time = Type.String({ format: 'date-time' });
const Starts = Type.Enum([...sessionStarts], {
  description:
    'Deployments that the token starts. `free`: they expire. `plan`: they are claimed and count towards the plan.',
});

const TokenRecord = Type.Object({
  id: Type.String(),
  applications: Type.Array(
    Type.Object({
      applicationName: Type.String(),
      environment: Type.String(),
      url: Type.String({ format: 'uri' }),
      claimed: Type.Boolean({ description: 'Whether the deployment counts towards the plan.' }),
    }),
    { description: 'The deployments that a holder of the token can manage.' },
  ),
  madeAt: Time,
  madeFrom: Type.Optional(Type.String({ description: 'An IP address.' })),
  lastUsedAt: Type.Optional(Type.String({ format: 'date-time', description: 'To the minute.' })),
  lastUsedFrom: Type.Optional(Type.String({ description: 'An IP address.' })),
  endedAt: Type.Optional(
    Type.String({ format: 'date-time', description: 'When the token ended; absent while it is valid.' }),
  ),
  starts: Starts,
});

const TokenParams = Type.Object({ id: Type.String({ maxLength: 100 }) });

export function tokenEndpoints(service: Service): FastifyPluginAsyncTypebox {
  const { db, now } = service;
  return async (app) => {
    app.get(
      '/api/tokens',
      {
        schema: {
          operationId: 'listTokens',
          summary: 'List the session tokens of the signed-in account',
          tags: ['accounts'],
          description: 'Returns the deployments and the use of each token. The service does not store the tokens.',
          access: 'sign-in',
          response: { 200: Type.Object({ tokens: Type.Array(TokenRecord) }), '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const accountId = orRefuse(await requireSignedIn(service, request));
        const deployments = await activeDeploymentsOfAccount(db, accountId, now());
        const bySession = Map.groupBy(deployments, ({ sessionId }) => sessionId);
        const tokens = await sessionTokensOf(db, accountId);
        // A token without deployments cannot do anything, so it is not listed.
        return { tokens: tokens.flatMap((token) => show(token, bySession.get(token.id) ?? [])) };
      },
    );

    app.post(
      '/api/tokens/:id',
      {
        schema: {
          operationId: 'changeToken',
          summary: 'Set the kind of deployments that a session token starts',
          tags: ['accounts'],
          description: 'Existing deployments do not change.',
          access: 'sign-in',
          refusals: ['token_not_found'],
          params: TokenParams,
          body: Type.Object({ starts: Starts }),
          response: { 200: MessageRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const accountId = orRefuse(await requireSignedIn(service, request));
        const { starts } = request.body;
        const owned = { accountId, sessionId: request.params.id };
        if (!(await setStarts(db, owned, starts))) throw new RefusedRequest(unknownToken);
        return { message: startWords[starts] };
      },
    );

    app.post(
      '/api/tokens/:id/replace',
      {
        schema: {
          operationId: 'replaceToken',
          summary: 'Replace a session token; only this response contains the new token',
          tags: ['accounts'],
          description: 'The previous token ends immediately, as with `DELETE /api/tokens/{id}`.',
          access: 'sign-in',
          refusals: ['token_not_found'],
          params: TokenParams,
          response: { 200: Type.Object({ id: Type.String(), sessionToken: Type.String() }), '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const accountId = orRefuse(await requireSignedIn(service, request));
        const { id } = request.params;
        const sessionToken = newToken('berth');
        const made = { token: sessionToken, now: now(), from: clientAddress(request) };
        const isReplaced = await write(
          db,
          'all',
          async (db) => await replaceToken(db, { accountId, sessionId: id }, made),
        );
        if (!isReplaced) throw new RefusedRequest(unknownToken);
        return { id, sessionToken };
      },
    );

    app.delete(
      '/api/tokens/:id',
      {
        schema: {
          operationId: 'endToken',
          summary: 'End a session token',
          tags: ['accounts'],
          description: 'The service refuses further requests with the token and ends its open streams.',
          access: 'sign-in',
          refusals: ['token_not_found'],
          params: TokenParams,
          response: { 200: MessageRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const accountId = orRefuse(await requireSignedIn(service, request));
        const owned = { accountId, sessionId: request.params.id };
        const isEnded = await write(db, 'all', async (db) => await endToken(db, owned, now()));
        if (!isEnded) throw new RefusedRequest(unknownToken);
        return { message: 'The session token has ended.' };
      },
    );
  };

  function show({ madeAt, usedAt, endedAt, ...token }: SessionToken, deployments: readonly Deployment[]) {
    if (deployments.length === 0) return [];
    const { id, starts, madeFrom, usedFrom } = token;
    return [
      {
        id,
        applications: deployments.map(({ applicationName, environment, label, claimedAt }) => ({
          applicationName,
          environment,
          url: service.urlOf(label).origin,
          claimed: claimedAt !== null,
        })),
        madeAt: printInstant(madeAt),
        ...(madeFrom !== null && { madeFrom }),
        ...(usedAt !== null && { lastUsedAt: printInstant(usedAt) }),
        ...(usedFrom !== null && { lastUsedFrom: usedFrom }),
        ...(endedAt !== null && { endedAt: printInstant(endedAt) }),
        starts,
      },
    ];
  }
}

function printInstant(instant: Instant): string {
  return new Date(instant).toISOString();
}

const startWords = {
  free: 'Deployments that the token starts are free and expire.',
  plan: 'Deployments that the token starts count towards the plan.',
} as const;

const { problem: unknownToken }: { problem: Problem } = refuse(
  'token_not_found',
  'The account has no session of this id.',
  'GET /api/tokens lists them.',
);
