/**
 * Identifies clients of the registry: a session by its token, or an account by an API key, as the password of `docker
 * login`, or by a token of the token endpoint.
 */
import type { FastifyRequest } from 'fastify';
import type { Instant } from '../../deployment/deployment.ts';
import { type ImageOwner, namespaceOf } from '../../images/pushed/repository-names.ts';
import { hashToken } from '../../lib/ids.ts';
import type { Seal } from '../../lib/seal.ts';
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
import { isOpenSession, recordTokenUse, sessionOfTokenHash } from '../../store/sessions.ts';
import type { Service } from '../api-service.ts';
import { apiKeyPrefix } from '../requests/callers.ts';
import { clientAddress, clientKey } from '../requests/client-address.ts';

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
  await recordTokenUse(db, session, { now: now(), from: clientAddress(request) });
  return pusher({ kind: 'session', sessionId: session.id }, session.accountId, who);
}

function pusher(
  owner: ImageOwner,
  accountId: string | null,
  who: Pick<Pusher, 'client' | 'credential' | 'access'>,
): Pusher {
  return { ...who, owner, accountId, namespace: namespaceOf(owner) };
}

/** Returns the namespace with that name if it belongs to the pusher, or to a session of the pusher's account. */
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

/**
 * Short-lived registry tokens, as in the distribution project's token authentication. A client sends its password once,
 * to the token endpoint. Each later request has a token, which is valid for minutes and for the requested access. A
 * token contains the hash of its password, which is looked up at each use: the token ends with the password.
 */

export const actions = ['pull', 'push', 'delete'] as const;
type Action = (typeof actions)[number];

/** Actions that a token allows in one repository. */
export type Access = { repository: string; actions: Action[] };

/** A session token or an API key, by its hash. */
type Credential = { kind: 'session' | 'api-key'; hash: string };

export type PushToken = { credential: Credential; access: Access[] };

/** Clients request a new token when it expires. A request in progress continues. */
export const tokenMs = 5 * 60_000;

/** Distinguishes tokens from other data sealed with the same key. */
const purpose = 'registry token';

export function sealToken(seal: Pick<Seal, 'close'>, token: PushToken, now: Instant): string {
  const content = JSON.stringify({ purpose, endsAt: now + tokenMs, ...token });
  return Buffer.from(seal.close(content)).toString('base64url');
}

/** Undefined if the token is expired or not ours. */
export function openToken(seal: Pick<Seal, 'open'>, text: string, now: Instant): PushToken | undefined {
  try {
    const read = JSON.parse(seal.open(Buffer.from(text, 'base64url')));
    if (read.purpose !== purpose || !(read.endsAt > now)) return undefined;
    return { credential: read.credential, access: read.access };
  } catch {
    return undefined;
  }
}

/** A client needs only a handful of repositories. */
const maxScopes = 20;

/** Parses the `scope` parameters of a token request: `repository:<name>:pull,push`. `*` allows every action. */
export function readScopes(scopes: readonly string[]): Access[] {
  const read = scopes
    .flatMap((each) => each.split(' '))
    .slice(0, maxScopes)
    .flatMap((scope): Access[] => {
      const [, repository, wanted = ''] = /^repository:([^:\s]{1,255}):([a-z*,]{1,100})$/.exec(scope) ?? [];
      if (repository === undefined) return [];
      const requested = wanted.split(',');
      return [
        { repository, actions: actions.filter((action) => requested.includes(action) || requested.includes('*')) },
      ];
    });
  return read.filter((each) => each.actions.length > 0);
}

export function printScope({ repository, actions }: Access): string {
  return `repository:${repository}:${actions.join(',')}`;
}

/** `access`: undefined if the client used the password itself. */
export function mayAct(access: readonly Access[] | undefined, repository: string, action: Action): boolean {
  return access?.some((each) => each.repository === repository && each.actions.includes(action)) ?? true;
}
