/**
 * Share links: their holders can see the state of a deployment. They are found by the token's hash. The token itself is
 * sealed, for its owner.
 */
import type { Instant } from '../deployment/deployment.ts';
import { hashToken } from '../lib/ids.ts';
import type { Seal } from '../lib/seal.ts';
import type { Database } from './database.ts';

export type ShareLink = { token: string; createdAt: Instant };

/** Undefined if the link does not exist or cannot be unsealed with the present keys. */
export async function shareLinkOf(db: Database, seal: Seal, deploymentId: string): Promise<ShareLink | undefined> {
  const row = await db
    .selectFrom('shareLinks')
    .select(['token', 'createdAt'])
    .where('deploymentId', '=', deploymentId)
    .executeTakeFirst();
  if (!row) return undefined;
  try {
    return { token: seal.open(row.token), createdAt: row.createdAt };
  } catch {
    return undefined;
  }
}

/** Replaces an existing link. */
export async function putShareLink(
  db: Database,
  seal: Seal,
  deploymentId: string,
  { token, createdAt }: ShareLink,
): Promise<void> {
  const link = { tokenHash: hashToken(token), token: seal.close(token), createdAt };
  await db
    .insertInto('shareLinks')
    .values({ deploymentId, ...link })
    .onConflict((conflict) => conflict.column('deploymentId').doUpdateSet(link))
    .execute();
}

/** Returns false if the link does not exist. */
export async function removeShareLink(db: Database, deploymentId: string): Promise<boolean> {
  const result = await db.deleteFrom('shareLinks').where('deploymentId', '=', deploymentId).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function deploymentOfShareLink(db: Database, token: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('shareLinks')
    .select('deploymentId')
    .where('tokenHash', '=', hashToken(token))
    .executeTakeFirst();
  return row?.deploymentId;
}
