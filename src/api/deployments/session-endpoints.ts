/** Sessions without a deployment, for clients that push images before the first start. */
import { randomUUID } from 'node:crypto';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { namespaceOf } from '../../images/pushed/repository-names.ts';
import { newToken } from '../../lib/ids.ts';
import { succeed } from '../../lib/problem.ts';
import { addSession, openSessionMs } from '../../store/sessions.ts';
import { transact } from '../../store/transaction.ts';
import { originOf, refuseBanned } from '../admission/caller-admission.ts';
import type { Service } from '../api-service.ts';
import { orRefuse } from '../requests/errors.ts';
import { ErrorRecord } from './deployment-schemas.ts';

const SessionRecord = Type.Object(
  {
    message: Type.String(),
    sessionToken: Type.String({
      description: 'The session token, returned only once. It is also the password for `docker login`.',
    }),
    images: Type.String({
      description: 'The prefix of the names of its images, such as `berth.example.com/s0123456789abcdef`.',
    }),
    expiresAt: Type.String({
      format: 'date-time',
      description: 'The time until which a deployment must be started with the token.',
    }),
  },
  { description: 'A session without deployments.' },
);

export function sessionEndpoints(service: Service): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/createSession',
      {
        config: { limit: 'start' },
        schema: {
          operationId: 'createSession',
          summary: 'Make a session',
          tags: ['deployments'],
          description:
            'Creates a session for users who push images before a start. Only this response contains the token. An unused session ends after an hour.',
          access: 'public',
          refusals: ['banned'],
          response: { 200: SessionRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const { baseUrl } = service.settings;
        const origin = originOf(request, service.settings);
        const session = { id: randomUUID(), token: newToken('berth'), createdAt: service.now() };
        orRefuse(
          await transact(service.db, async (db) => {
            const unbanned = await refuseBanned(db, origin, { accountId: null });
            if (!unbanned.ok) return unbanned;
            await addSession(db, { ...session, from: origin.address });
            return succeed(undefined);
          }),
        );
        const images = `${baseUrl.host}/${namespaceOf({ kind: 'session', sessionId: session.id })}`;
        return {
          message:
            `Push images to ${images}/<name>:<tag> with the sessionToken as the password, and start deployments of these images ` +
            'with the same token. Keep the token: it is the key to these deployments.',
          sessionToken: session.token,
          images,
          expiresAt: new Date(session.createdAt + openSessionMs).toISOString(),
        };
      },
    );
  };
}
