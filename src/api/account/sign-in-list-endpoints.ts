/** Lists the browsers that are signed in to the account, and signs them out individually. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { refuse } from '../../lib/problem.ts';
import { removeSignIn, signInsOf } from '../../store/sign-ins.ts';
import type { Service } from '../api-service.ts';
import { ErrorRecord, MessageRecord } from '../deployments/deployment-schemas.ts';
import { requireSignedIn, requireSignIn } from '../requests/callers.ts';
import { orRefuse, RefusedRequest } from '../requests/errors.ts';

const SignInRecord = Type.Object({
  id: Type.String(),
  userAgent: Type.String({ description: 'The name that the browser reports. Untrusted input.' }),
  isThis: Type.Boolean({ description: 'Whether this request uses the sign-in.' }),
  createdAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.String({ format: 'date-time' }),
});

const longestUserAgent = 300;

export function signInListEndpoints(service: Service): FastifyPluginAsyncTypebox {
  const { db, now } = service;
  return async (app) => {
    app.get(
      '/api/sign-ins',
      {
        schema: {
          operationId: 'listSignIns',
          summary: 'List the browsers that are signed in to the account',
          tags: ['accounts'],
          description: 'Returns the newest first. The service does not store the cookies.',
          access: 'sign-in',
          response: { 200: Type.Object({ signIns: Type.Array(SignInRecord) }), '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const { accountId, signInId } = orRefuse(await requireSignIn(service, request));
        const signIns = await signInsOf(db, accountId, now());
        return {
          signIns: signIns.map(({ userAgent, ...signIn }) => ({
            ...signIn,
            userAgent: userAgent.slice(0, longestUserAgent),
            isThis: signIn.id === signInId,
          })),
        };
      },
    );

    app.delete(
      '/api/sign-ins/:id',
      {
        schema: {
          operationId: 'removeSignIn',
          summary: 'Sign out a browser',
          tags: ['accounts'],
          description:
            'Invalidates the cookie of the browser. `POST /api/auth/revoke-other-sessions` signs out all others.',
          access: 'sign-in',
          refusals: ['sign_in_not_found'],
          params: Type.Object({ id: Type.String({ maxLength: 100 }) }),
          response: { 200: MessageRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const accountId = orRefuse(await requireSignedIn(service, request));
        // The library is not used here because it identifies sign-ins by tokens. A browser only knows its own token.
        const isRemoved = await removeSignIn(db, accountId, request.params.id);
        if (!isRemoved) throw new RefusedRequest(unknownSignIn.problem);
        return { message: 'The browser has been signed out.' };
      },
    );
  };
}

const unknownSignIn = refuse('sign_in_not_found', 'The account has no such sign-in.', 'GET /api/sign-ins lists them.');
