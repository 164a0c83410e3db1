/** The endpoint where clients get their tokens, and the challenge that points to it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isRepository, namespaceIn } from '../../images/pushed/repository-names.ts';
import type { Service } from '../api-service.ts';
import { type Access, printScope, readScopes, sealToken, tokenMs } from './push-tokens.ts';
import { namespaceFor, type Pusher } from './pushers.ts';
import { RegistryRefusal } from './registry-errors.ts';
import { type RegistryPath, tokenPath } from './registry-paths.ts';

/** GET. Grants only the requested access that the caller has. The registry refuses the rest later. */
export async function sendToken(
  service: Service,
  pusher: Pusher | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (request.method !== 'GET') throw new RegistryRefusal('UNSUPPORTED', 'use GET to request a token');
  if (!pusher) throw unauthorized('Basic realm="Berth"');
  // A token gives no other one: it would never end.
  if (pusher.access) throw unauthorized('Basic realm="Berth"');
  const query = new URLSearchParams(request.url.split('?')[1] ?? '');
  const access: Access[] = [];
  for (const asked of readScopes(query.getAll('scope'))) {
    const isNamed = isRepository(asked.repository);
    if (isNamed && (await namespaceFor(service.db, pusher, namespaceIn(asked.repository)))) access.push(asked);
  }
  const now = service.now();
  const token = sealToken(service.seal, { credential: pusher.credential, access }, now);
  const issued = { expires_in: tokenMs / 1000, issued_at: new Date(now).toISOString() };
  return reply.send({ token, access_token: token, ...issued });
}

export function unauthorized(challenge: string): RegistryRefusal {
  const words = 'log in with any name, and a session token or an API key as the password';
  return new RegistryRefusal('UNAUTHORIZED', words, challenge);
}

/** The access that a request needs; undefined if any token suffices. */
export function neededAccess(method: string, path: RegistryPath): Access | undefined {
  if (!('repository' in path)) return undefined;
  const { repository, kind } = path;
  if (method === 'GET' || method === 'HEAD') return { repository, actions: [kind === 'upload' ? 'push' : 'pull'] };
  return { repository, actions: [method === 'DELETE' && kind !== 'upload' ? 'delete' : 'push'] };
}

/** Of a host and perhaps a port; what else comes in `Host` would end the header's quotes. */
const hostForm = /^[\w.-]{1,255}(?::\d{1,5})?$|^\[[\da-fA-F:.]{2,45}\](?::\d{1,5})?$/;

/** A push also needs `pull`: clients first check whether a blob exists. */
export function challenge({ settings }: Service, request: FastifyRequest, needed: Access | undefined): string {
  const { protocol, host: own } = settings.baseUrl;
  const { host = '' } = request.headers;
  const reached = hostForm.test(host) ? host : own;
  const scope = needed && printScope({ ...needed, actions: [...new Set(['pull' as const, ...needed.actions])] });
  return `Bearer realm="${protocol}//${reached}${tokenPath}",service="${reached}"${scope ? `,scope="${scope}"` : ''}`;
}
