/** What an authority asks to see under a host before it issues for it. Every edge answers, whichever process has asked. */
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';
import type { Tables } from './rows.ts';

export async function addChallenge(db: Database, challenge: Tables['acmeChallenges']): Promise<void> {
  await db
    .insertInto('acmeChallenges')
    .values(challenge)
    .onConflict((conflict) => conflict.column('token').doUpdateSet(challenge))
    .execute();
}

/** The answer to who asks for this token at this host. */
export async function challengeAnswer(
  db: Database,
  { host, token, now }: { host: string; token: string; now: Instant },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('acmeChallenges')
    .select('answer')
    .where('token', '=', token)
    .where('host', '=', host)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
  return row?.answer;
}

export async function removeChallenge(db: Database, token: string): Promise<void> {
  await db.deleteFrom('acmeChallenges').where('token', '=', token).execute();
}

export async function forgetChallenges(db: Database, now: Instant): Promise<void> {
  await db.deleteFrom('acmeChallenges').where('expiresAt', '<=', now).execute();
}
