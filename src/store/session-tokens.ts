/** The tokens of an account's sessions, as their owner sees, ends and replaces them. */
import type { Instant } from '../deployment/deployment.ts';
import type { SessionStarts } from '../deployment/limits/session-starts.ts';
import { hashToken } from '../lib/ids.ts';
import type { Database } from './database.ts';

export type SessionToken = {
  /** The session's. */
  id: string;
  madeAt: Instant;
  /** Null where it was not written down. */
  madeFrom: string | null;
  usedAt: Instant | null;
  usedFrom: string | null;
  endedAt: Instant | null;
  starts: SessionStarts;
};

/** Returns the tokens of all sessions of the account, newest first. */
export async function sessionTokensOf(db: Database, accountId: string): Promise<SessionToken[]> {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'tokenMadeAt', 'tokenMadeFrom', 'tokenUsedAt', 'tokenUsedFrom'])
    .select(['tokenEndedAt', 'starts'])
    .where('accountId', '=', accountId)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(({ id, starts, ...row }) => ({
    id,
    starts,
    madeAt: row.tokenMadeAt,
    madeFrom: row.tokenMadeFrom,
    usedAt: row.tokenUsedAt,
    usedFrom: row.tokenUsedFrom,
    endedAt: row.tokenEndedAt,
  }));
}

/** Returns whether the session's token was ended. */
export async function hasEnded(db: Database, sessionId: string): Promise<boolean> {
  const row = await db.selectFrom('sessions').select('tokenEndedAt').where('id', '=', sessionId).executeTakeFirst();
  return row?.tokenEndedAt != null;
}

type Owned = { accountId: string; sessionId: string };

/** Ends the token. Returns false if the account does not have the session. */
export async function endToken(db: Database, owned: Owned, now: Instant): Promise<boolean> {
  const isEnded = await change(db, owned, { tokenEndedAt: now });
  if (isEnded) await forgetAnswers(db, owned.sessionId);
  return isEnded;
}

/** As `endToken`, with a new token for the session. */
export async function replaceToken(
  db: Database,
  owned: Owned,
  { token, now, from }: { token: string; now: Instant; from: string },
): Promise<boolean> {
  const isReplaced = await change(db, owned, {
    tokenHash: hashToken(token),
    tokenMadeAt: now,
    tokenMadeFrom: from,
    tokenUsedAt: null,
    tokenUsedFrom: null,
    tokenEndedAt: null,
  });
  if (isReplaced) await forgetAnswers(db, owned.sessionId);
  return isReplaced;
}

export async function setStarts(db: Database, owned: Owned, starts: SessionStarts): Promise<boolean> {
  return await change(db, owned, { starts });
}

type Change = {
  tokenHash?: string;
  tokenMadeAt?: Instant;
  tokenMadeFrom?: string;
  tokenUsedAt?: null;
  tokenUsedFrom?: null;
  tokenEndedAt?: Instant | null;
  starts?: SessionStarts;
};

async function change(db: Database, { accountId, sessionId }: Owned, fields: Change): Promise<boolean> {
  const result = await db
    .updateTable('sessions')
    .set(fields)
    .where('id', '=', sessionId)
    .where('accountId', '=', accountId)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Deletes idempotent answers that contain the token. */
async function forgetAnswers(db: Database, sessionId: string): Promise<void> {
  const deployments = db.selectFrom('deployments').select('id').where('sessionId', '=', sessionId);
  await db.deleteFrom('idempotency').where('deploymentId', 'in', deployments).execute();
}
