/**
 * Identifies clients of the registry: a session by its token, or an account by an API key, as the password of `docker
 * login`, or by a token of the token endpoint.
 */
import type { FastifyRequest } from 'fastify';
import { type ImageOwner, namespaceOf } from '../../images/pushed/repository-names.ts';
import { hashToken } from '../../lib/ids.ts';
import { accountOfApiKeyHash } from '../../store/api-keys.ts';
import type { Database } from '../../store/database.ts';
import { activeDeployments } from '../../store/deployments.ts';
import {
  type Namespace,
  namespaceNamed,
  type Payer,
  payerOfNamespace,
  provideNamespace,
} from '../../store/image-namespaces.ts';
import { isOpenSession, noteTokenUse, sessionOfTokenHash } from '../../store/sessions.ts';
import type { Service } from '../api-service.ts';
import { apiKeyPrefix } from '../requests/callers.ts';
import { clientAddress, clientKey } from '../requests/client-address.ts';
import { type Access, type Credential, openToken } from './push-tokens.ts';

export type Pusher = {
  owner: ImageOwner;
  /** The account whose plan counts, or null without an account. */
  accountId: string | null;
  /** The first part of the names of its images. */
  namespace: string;
  client: string;
  /** The credential of the request, or of the request that issued the token. */
  credential: Credential;
  /** The access of the token. Undefined if the client used the password itself. */
  access?: Access[] | undefined;
};

/** Undefined without valid credentials. The user name may be anything. */
export async function findPusher(service: Service, request: FastifyRequest): Promise<Pusher | undefined> {
  const shown = readShown(service, request.headers.authorization);
  if (!shown) return undefined;
  const { db, now, settings } = service;
  const { credential, access } = shown;
  const who = { credential, access, client: clientKey(request, settings.networkPool) };
  if (credential.kind === 'api-key') {
    const accountId = await accountOfApiKeyHash(db, credential.hash, now());
    return accountId === undefined ? undefined : pusher({ kind: 'account', accountId }, accountId, who);
  }
  const session = await sessionOfTokenHash(db, credential.hash);
  if (!session) return undefined;
  const isThere =
    (await activeDeployments(db, session.id, now())).length > 0 || (await isOpenSession(db, session.id, now()));
  if (!isThere) return undefined;
  await noteTokenUse(db, session, { now: now(), from: clientAddress(request) });
  return pusher({ kind: 'session', sessionId: session.id }, session.accountId, who);
}

function pusher(
  owner: ImageOwner,
  accountId: string | null,
  who: Pick<Pusher, 'client' | 'credential' | 'access'>,
): Pusher {
  return { ...who, owner, accountId, namespace: namespaceOf(owner) };
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

/** The account or address whose quota pays for all images of the namespace. The first push decides. */
export async function payerOf({ db, now }: Pick<Service, 'db' | 'now'>, namespace: Namespace): Promise<Payer> {
  const known = await payerOfNamespace(db, namespace.name);
  if (known) return known;
  await provideNamespace(db, namespace, now());
  return (await payerOfNamespace(db, namespace.name))!;
}

/** `Basic` and `Bearer` have a password; `Bearer` also a token that was issued for one. */
function readShown({ seal, now }: Service, authorization: string | undefined): Shown | undefined {
  const [, scheme = '', value = ''] = /^(Basic|Bearer) +([\w+/=.~-]{1,8000})$/i.exec(authorization ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return openToken(seal, value, now()) ?? { credential: credentialOf(value) };
  const text = Buffer.from(value, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const password = text.slice(colon + 1);
  return colon === -1 || password === '' ? undefined : { credential: credentialOf(password) };
}

type Shown = { credential: Credential; access?: Access[] };

function credentialOf(password: string): Credential {
  return { kind: password.startsWith(`${apiKeyPrefix}_`) ? 'api-key' : 'session', hash: hashToken(password) };
}
