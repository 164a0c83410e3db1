/** Backups of the installation that were finished: when the last one was is what an operator has to see. */
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';
import type { Tables } from './rows.ts';

export type Backup = Tables['backups'];

export async function addBackup(db: Database, backup: Backup): Promise<void> {
  await db.insertInto('backups').values(backup).execute();
}

/** The instant of the newest backup's content; undefined before the first one. */
export async function lastBackupAt(db: Database): Promise<Instant | undefined> {
  const row = await db
    .selectFrom('backups')
    .select((eb) => eb.fn.max('at').as('at'))
    .executeTakeFirst();
  return row?.at == null ? undefined : Number(row.at);
}
