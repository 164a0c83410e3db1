/** ACME: challenges, which every edge answers for all processes, and encrypted account keys. */
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import type { Seal } from '../lib/seal.ts';
import type { Database } from './database.ts';
import type { Tables } from './rows.ts';
import { write } from './transaction.ts';

export async function addChallenge(db: Database, challenge: Tables['acmeChallenges']): Promise<void> {
  await db
    .insertInto('acmeChallenges')
    .values(challenge)
    .onConflict((conflict) => conflict.column('token').doUpdateSet(challenge))
    .execute();
}

/** Returns the answer for this token at this host, unless the challenge has expired. */
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

export async function deleteOldChallenges(db: Database, now: Instant): Promise<void> {
  await db.deleteFrom('acmeChallenges').where('expiresAt', '<=', now).execute();
}

/**
 * Returns the key of the account at the authority, as PEM: the stored one, or a new one from `make`. A key that can no
 * longer be opened is replaced, because the authority also accepts a new account.
 */
export async function accountKey(
  db: Kysely<Tables>,
  seal: Seal,
  { directory, make }: { directory: string; make: () => Promise<string> },
): Promise<string> {
  const made = await make();
  return await write(db, 'all', async (db) => {
    const row = await db.selectFrom('acmeAccounts').select('key').where('directory', '=', directory).executeTakeFirst();
    const known = row && opened(seal, row.key);
    if (known !== undefined) return known;
    const key = seal.close(made);
    await db
      .insertInto('acmeAccounts')
      .values({ directory, key })
      .onConflict((conflict) => conflict.column('directory').doUpdateSet({ key }))
      .execute();
    return made;
  });
}

function opened(seal: Seal, sealed: Uint8Array): string | undefined {
  try {
    return seal.open(sealed);
  } catch {
    return undefined;
  }
}
