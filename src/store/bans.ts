/** Bans, which operators write and every start and update reads. */

import type { Instant } from '../deployment/deployment.ts';
import type { Ban } from '../deployment/limits/ban.ts';
import type { Database } from './database.ts';

export async function allBans(db: Database): Promise<(Ban & { createdAt: Instant })[]> {
  return await db.selectFrom('bans').selectAll().orderBy('createdAt').orderBy('kind').orderBy('subject').execute();
}

/** A second ban of the same subject replaces the reason. */
export async function addBan(db: Database, ban: Ban & { createdAt: Instant }): Promise<void> {
  await db
    .insertInto('bans')
    .values(ban)
    .onConflict((conflict) => conflict.columns(['kind', 'subject']).doUpdateSet({ reason: ban.reason }))
    .execute();
}

/** Returns false if the ban did not exist. */
export async function removeBan(db: Database, { kind, subject }: Pick<Ban, 'kind' | 'subject'>): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('bans')
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
