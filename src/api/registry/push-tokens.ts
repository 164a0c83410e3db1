/**
 * Short-lived registry tokens, as in the distribution project's token authentication. A client sends its password once,
 * to the token endpoint. Each later request has a token, which is valid for minutes and for the requested access. A
 * token contains the hash of its password, which is looked up at each use: the token ends with the password.
 */
import type { Instant } from '../../deployment/deployment.ts';
import type { Seal } from '../../lib/seal.ts';

export const actions = ['pull', 'push', 'delete'] as const;
export type Action = (typeof actions)[number];

/** Actions that a token allows in one repository. */
export type Access = { repository: string; actions: Action[] };

/** A session token or an API key, by its hash. */
export type Credential = { kind: 'session' | 'api-key'; hash: string };

export type PushToken = { credential: Credential; access: Access[] };

/** Clients ask for another one when it has run out, and a request that has begun goes on. */
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
const mostScopes = 20;

/** Of `scope` of the question, which may be there several times: `repository:<name>:pull,push`; `*` is everything. */
export function readScopes(scopes: readonly string[]): Access[] {
  const read = scopes
    .flatMap((each) => each.split(' '))
    .slice(0, mostScopes)
    .flatMap((scope): Access[] => {
      const [, repository, wanted = ''] = /^repository:([^:\s]{1,255}):([a-z*,]{1,100})$/.exec(scope) ?? [];
      if (repository === undefined) return [];
      const asked = wanted.split(',');
      return [{ repository, actions: actions.filter((action) => asked.includes(action) || asked.includes('*')) }];
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
