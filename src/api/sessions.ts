/** From a request's session token to the session's active deployments. */
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Deployment } from '../deployment/deployment.ts';
import { type Result, refuse, succeed } from '../lib/problem.ts';
import { activeDeployments } from '../store/deployments.ts';
import { sessionOfToken } from '../store/sessions.ts';
import type { Service } from './service.ts';

/** Optional in the schemas because `Authorization: Bearer` may carry it instead. */
const SessionToken = Type.Optional(
  Type.String({ maxLength: 200, description: 'The session token; it may also come as `Authorization: Bearer`.' }),
);
const ApplicationName = Type.String({ minLength: 1, maxLength: 200, description: 'Name of the application.' });

export const TokenQuery = Type.Object({ sessionToken: SessionToken });
export const TokenBody = Type.Object({ sessionToken: SessionToken });
export const ApplicationQuery = Type.Object({ sessionToken: SessionToken, applicationName: ApplicationName });
export const ApplicationBody = Type.Object({ sessionToken: SessionToken, applicationName: ApplicationName });

export type Session = { id: string; deployments: Deployment[] };

/** The token of the query, the body, or the Authorization header. */
export function tokenOf(request: FastifyRequest, given: { sessionToken?: string }): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '');
  return given.sessionToken || bearer?.[1];
}

/** The session with its active deployments; a session without any is as unknown as one that never was. */
export async function findSession(service: Service, token: string | undefined): Promise<Result<Session>> {
  if (!token) {
    return refuse('invalid_request', 'The sessionToken is missing.', 'Send the sessionToken that the start answered.');
  }
  const id = await sessionOfToken(service.db, token);
  const deployments = id === undefined ? [] : await activeDeployments(service.db, id, service.now());
  if (id === undefined || deployments.length === 0) {
    return refuse(
      'session_not_found',
      'No session has this token, or all of its deployments have expired or were removed.',
      'Start a new deployment to get a new sessionToken.',
    );
  }
  return succeed({ id, deployments });
}

/** An application of the token's session. */
export async function findApplication(
  service: Service,
  token: string | undefined,
  applicationName: string,
): Promise<Result<Deployment>> {
  const session = await findSession(service, token);
  return session.ok ? applicationOf(session.value, applicationName) : session;
}

export function applicationOf({ deployments }: Session, applicationName: string): Result<Deployment> {
  const deployment = deployments.find((known) => known.applicationName === applicationName);
  if (deployment) return succeed(deployment);
  const names = deployments.map((known) => known.applicationName).join(', ');
  return refuse('application_not_found', 'The application was not found.', `This session has: ${names}.`);
}
