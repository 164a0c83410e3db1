/**
 * API keys: what scripts send instead of a sign-in. Only hashes are stored, and the first letters for identification.
 */
import type { Instant } from '../deployment/deployment.ts';
import { hashToken } from '../lib/ids.ts';
import type { Database } from './database.ts';

export type ApiKey = {
  id: string;
  name: string;
  /** The beginning of the key. */
  start: string;
  createdAt: Instant;
  lastUsedAt: Instant | null;
};

/** A use is recorded if the last record is older than this, so that not every request waits for the disk. */
const recordEveryMs = 60_000;

export async function addApiKey(
  db: Database,
  accountId: string,
  { key, ...fields }: Omit<ApiKey, 'lastUsedAt'> & { key: string },
): Promise<void> {
  await db
    .insertInto('apiKeys')
    .values({ ...fields, accountId, keyHash: hashToken(key), lastUsedAt: null })
    .execute();
}

/** Oldest first. */
export async function apiKeysOf(db: Database, accountId: string): Promise<ApiKey[]> {
  return await db
    .selectFrom('apiKeys')
    .select(['id', 'name', 'start', 'createdAt', 'lastUsedAt'])
    .where('accountId', '=', accountId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

/** False when the account has no such key. */
export async function removeApiKey(db: Database, accountId: string, id: string): Promise<boolean> {
  const result = await db
    .deleteFrom('apiKeys')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** The account whose key this is, noting that it was used. */
export async function accountOfApiKey(db: Database, key: string, now: Instant): Promise<string | undefined> {
  return await accountOfApiKeyHash(db, hashToken(key), now);
}

export async function accountOfApiKeyHash(db: Database, keyHash: string, now: Instant): Promise<string | undefined> {
  const row = await db
    .selectFrom('apiKeys')
    .select(['id', 'accountId', 'lastUsedAt'])
    .where('keyHash', '=', keyHash)
    .executeTakeFirst();
  if (row && (row.lastUsedAt === null || row.lastUsedAt + recordEveryMs <= now)) {
    await db.updateTable('apiKeys').set({ lastUsedAt: now }).where('id', '=', row.id).execute();
  }
  return row?.accountId;
}
