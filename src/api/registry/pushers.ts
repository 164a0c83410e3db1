/** Who pushes and pulls: a session by its token, or an account by an API key, as the password of `docker login`. */
import type { FastifyRequest } from 'fastify';
import { type ImageOwner, namespaceOf } from '../../images/pushed/repository-names.ts';
import { accountOfApiKey } from '../../store/api-keys.ts';
import type { Database } from '../../store/database.ts';
import { activeDeployments } from '../../store/deployments.ts';
import { type Namespace, namespaceNamed } from '../../store/image-namespaces.ts';
import { isOpenSession, noteTokenUse, sessionOfToken } from '../../store/sessions.ts';
import type { Service } from '../api-service.ts';
import { apiKeyPrefix } from '../requests/callers.ts';
import { clientAddress, clientKey } from '../requests/client-address.ts';

export type Pusher = {
  owner: ImageOwner;
  /** Whose plan counts; null for who has no account. */
  accountId: string | null;
  /** The first part of the names of its images. */
  namespace: string;
  client: string;
};

/** Undefined for who says nothing, or nothing that is known. The user's name may be anything. */
export async function findPusher(service: Service, request: FastifyRequest): Promise<Pusher | undefined> {
  const password = passwordOf(request.headers.authorization);
  if (password === undefined) return undefined;
  const { db, now, settings } = service;
  const client = clientKey(request, settings.networkPool);
  if (password.startsWith(`${apiKeyPrefix}_`)) {
    const accountId = await accountOfApiKey(db, password, now());
    return accountId === undefined ? undefined : pusher({ kind: 'account', accountId }, accountId, client);
  }
  const session = await sessionOfToken(db, password);
  if (!session) return undefined;
  const isThere =
    (await activeDeployments(db, session.id, now())).length > 0 || (await isOpenSession(db, session.id, now()));
  if (!isThere) return undefined;
  await noteTokenUse(db, session, { now: now(), from: clientAddress(request) });
  return pusher({ kind: 'session', sessionId: session.id }, session.accountId, client);
}

function pusher(owner: ImageOwner, accountId: string | null, client: string): Pusher {
  return { owner, accountId, client, namespace: namespaceOf(owner) };
}

/** The namespace of that name when it is the pusher's: its own, or of an account one of a session of its own. */
export async function namespaceFor(
  db: Database,
  { owner, namespace, client }: Pusher,
  name: string,
): Promise<Namespace | undefined> {
  if (name === namespace)
    return owner.kind === 'session'
      ? { name, sessionId: owner.sessionId, accountId: null, client }
      : { name, sessionId: null, accountId: owner.accountId, client };
  const known = owner.kind === 'account' ? await namespaceNamed(db, name) : undefined;
  if (!known || owner.kind !== 'account' || known.sessionAccountId !== owner.accountId) return undefined;
  return known;
}

/** Whom what is pushed counts to. */
export function payerOfPush({ accountId, client }: Pusher): string {
  return accountId === null ? `client ${client}` : `account ${accountId}`;
}

/** Of `Basic`, which is what clients send, or of `Bearer`. */
function passwordOf(authorization: string | undefined): string | undefined {
  const [, scheme = '', value = ''] = /^(Basic|Bearer) +([\w+/=.~-]{1,1000})$/i.exec(authorization ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  const text = Buffer.from(value, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 || colon === text.length - 1 ? undefined : text.slice(colon + 1);
}
