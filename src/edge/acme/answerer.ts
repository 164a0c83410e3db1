/**
 * Answers challenges of an authority: through the store, from which every edge answers, or in DNS with the operator's
 * command.
 */
import type { Kysely } from 'kysely';
import type { Instant } from '../../deployment/deployment.ts';
import { addChallenge, removeChallenge } from '../../store/acme.ts';
import type { Tables } from '../../store/rows.ts';
import type { EdgeLog } from '../edge-settings.ts';
import type { Answerer, Challenge } from './authority.ts';
import { dnsHook as openHook } from './dns-hook.ts';

/** Challenges of killed services expire after this. */
const answersForMs = 3_600_000;

/** Name servers of a zone may take minutes to synchronize. */
const hookLimitMs = 3 * 60_000;

export type AnswererParts = {
  db: Kysely<Tables>;
  now: () => Instant;
  log: EdgeLog;
  dnsHook: readonly [string, ...string[]] | undefined;
};

export function createAnswerer({ db, now, log, dnsHook }: AnswererParts): (signal: AbortSignal) => Answerer {
  const hook = dnsHook && openHook(dnsHook, { limitMs: hookLimitMs });
  return (signal) => ({
    async show(challenge) {
      const { kind, host, token, answer } = challenge;
      if (kind === 'http-01') return await addChallenge(db, { host, token, answer, expiresAt: now() + answersForMs });
      await hook!('set', recordOf(challenge), signal);
    },
    /** The certificate does not depend on it. */
    async hide(challenge) {
      const hidden =
        challenge.kind === 'http-01'
          ? removeChallenge(db, challenge.token)
          : hook!('remove', recordOf(challenge), signal);
      await hidden.catch((error: Error) => log.warn({ problem: error.message }, 'a challenge was not removed'));
    },
  });
}

/** RFC 8555, 8.4. */
function recordOf({ host, answer }: Challenge) {
  return { name: `_acme-challenge.${host}`, value: answer };
}
