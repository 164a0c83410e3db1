/** Sessions: who a session token stands for, and whose it is since a claim. Only the token's hash is kept. */
import type { Instant } from '../deployment/deployment.ts';
import { hashToken } from '../lib/ids.ts';
import type { Database } from './database.ts';

export type SessionRecord = { id: string; accountId: string | null };

export async function addSession(
  db: Database,
  session: { id: string; token: string; createdAt: Instant; accountId?: string | undefined },
): Promise<void> {
  const { id, token, createdAt, accountId = null } = session;
  await db
    .insertInto('sessions')
    .values({ id, tokenHash: hashToken(token), createdAt, accountId })
    .execute();
}

/** The token's session, whether or not anything of it is still active. */
export async function sessionOfToken(db: Database, token: string): Promise<SessionRecord | undefined> {
  return await db
    .selectFrom('sessions')
    .select(['id', 'accountId'])
    .where('tokenHash', '=', hashToken(token))
    .executeTakeFirst();
}

/** Whose the session is; null while it is nobody's. */
export async function accountOfSession(db: Database, sessionId: string): Promise<string | null> {
  const row = await db.selectFrom('sessions').select('accountId').where('id', '=', sessionId).executeTakeFirst();
  return row?.accountId ?? null;
}

/** Makes a session an account's; false when it is somebody's already. Of two at once, one is told true. */
export async function attachSession(db: Database, sessionId: string, accountId: string): Promise<boolean> {
  const result = await db
    .updateTable('sessions')
    .set({ accountId })
    .where('id', '=', sessionId)
    .where('accountId', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
