/** Sessions: the holder of a session token, and its account after a claim. Only the hash of the token is stored. */
import type { Instant } from '../deployment/deployment.ts';
import type { SessionStarts } from '../deployment/limits/session-starts.ts';
import { hashToken } from '../lib/ids.ts';
import type { Database } from './database.ts';

export type SessionRecord = {
  id: string;
  accountId: string | null;
  starts: SessionStarts;
  /** The last recorded use of its token. */
  tokenUsedAt: Instant | null;
};

/** A use is recorded if the last record is older than this, so that not every request waits for the disk. */
const recordEveryMs = 60_000;

export async function addSession(
  db: Database,
  session: {
    id: string;
    token: string;
    createdAt: Instant;
    accountId?: string | null | undefined;
    /** Default: as the account's own. */
    starts?: SessionStarts;
    /** The address of the client that requested it. */
    from?: string;
  },
): Promise<void> {
  const { id, token, createdAt, accountId = null, from = null } = session;
  const starts = session.starts ?? (accountId === null ? 'free' : 'plan');
  await db
    .insertInto('sessions')
    .values({
      id,
      tokenHash: hashToken(token),
      createdAt,
      accountId,
      tokenMadeAt: createdAt,
      tokenMadeFrom: from,
      starts,
    })
    .execute();
}

/** Returns the token's session, even without active deployments. Undefined for a revoked token. */
export async function sessionOfToken(db: Database, token: string): Promise<SessionRecord | undefined> {
  return await sessionOfTokenHash(db, hashToken(token));
}

export async function sessionOfTokenHash(db: Database, tokenHash: string): Promise<SessionRecord | undefined> {
  return await db
    .selectFrom('sessions')
    .select(['id', 'accountId', 'starts', 'tokenUsedAt'])
    .where('tokenHash', '=', tokenHash)
    .where('tokenEndedAt', 'is', null)
    .executeTakeFirst();
}

/** How long a session without a deployment exists. */
export const openSessionMs = 60 * 60_000;

/** Returns whether the session has had no deployment yet and has not expired. */
export async function isOpenSession(db: Database, id: string, now: Instant): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', id)
    .where('createdAt', '>', now - openSessionMs)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('deployments').select('id').whereRef('sessionId', '=', 'sessions.id'))),
    )
    .executeTakeFirst();
  return row !== undefined;
}

/** Notes that the session's token is used, at most once a minute. */
export async function recordTokenUse(
  db: Database,
  { id, tokenUsedAt }: SessionRecord,
  { now, from }: { now: Instant; from: string },
): Promise<void> {
  if (tokenUsedAt !== null && tokenUsedAt + recordEveryMs > now) return;
  await db.updateTable('sessions').set({ tokenUsedAt: now, tokenUsedFrom: from }).where('id', '=', id).execute();
}

/** The account of the session, or null if it does not have one. */
export async function accountOfSession(db: Database, sessionId: string): Promise<string | null> {
  const row = await db.selectFrom('sessions').select('accountId').where('id', '=', sessionId).executeTakeFirst();
  return row?.accountId ?? null;
}

/** Attaches a session to an account. Returns false if it already has one. Of two concurrent calls, one returns true. */
export async function attachSession(db: Database, sessionId: string, accountId: string): Promise<boolean> {
  const result = await db
    .updateTable('sessions')
    .set({ accountId })
    .where('id', '=', sessionId)
    .where('accountId', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Deletes sessions without stored deployments, with the addresses that their tokens were used from. */
export async function deleteEmptySessions(db: Database, before: Instant): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('createdAt', '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('deployments').select('id').whereRef('sessionId', '=', 'sessions.id'))),
    )
    .execute();
}
