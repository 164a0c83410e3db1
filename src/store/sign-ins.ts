/** Signed-in browsers. The sign-in library writes these rows. Berth lists them and ends single ones. */
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';

/** `userAgent`: the unverified name that the browser sent. Times are date-times. */
export type SignInRow = { id: string; userAgent: string; createdAt: string; expiresAt: string };

/** The newest first. */
export async function signInsOf(db: Database, accountId: string, now: Instant): Promise<SignInRow[]> {
  const rows = await db
    .selectFrom('signIns')
    .select(['id', 'userAgent', 'createdAt', 'expiresAt'])
    .where('userId', '=', accountId)
    .where('expiresAt', '>', new Date(now).toISOString())
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(({ id, userAgent, createdAt, expiresAt }) => ({
    id,
    userAgent: userAgent ?? '',
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  }));
}

/** False when the account has no such sign-in. */
export async function removeSignIn(db: Database, accountId: string, id: string): Promise<boolean> {
  const result = await db.deleteFrom('signIns').where('userId', '=', accountId).where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Removes expired sign-ins, and unused links and challenges. The library removes only those that it reads. */
export async function deleteOldSignIns(db: Database, now: Instant): Promise<void> {
  const before = new Date(now).toISOString();
  await db.deleteFrom('signIns').where('expiresAt', '<', before).execute();
  await db.deleteFrom('verifications').where('expiresAt', '<', before).execute();
}

/** Links of mails that would set a password of the account. */
export async function endPasswordLinks(db: Database, accountId: string): Promise<void> {
  await db.deleteFrom('verifications').where('value', '=', accountId).execute();
}
