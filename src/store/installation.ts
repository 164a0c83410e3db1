/** The ID of this installation: the owner label of every object that it creates on an engine. */
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { newId } from '../lib/ids.ts';
import type { Database } from './database.ts';
import type { Tables } from './rows.ts';
import { write } from './transaction.ts';

/** The installation's id; undefined in a database that no service has ever started on. */
export async function installationId(db: Database): Promise<string | undefined> {
  const known = await db.selectFrom('installation').select('id').executeTakeFirst();
  return known?.id;
}

/**
 * Returns the ID of the key that the processes of this installation seal with. Null before the first process has
 * recorded it.
 */
export async function installationKeyId(db: Database): Promise<string | null> {
  const known = await db.selectFrom('installation').select('keyId').executeTakeFirst();
  return known?.keyId ?? null;
}

export async function recordKeyId(db: Database, keyId: string): Promise<void> {
  await db.updateTable('installation').set({ keyId }).execute();
}

/** As `installationId`, and creates it. Of processes that start at once on a new database, one creates it. */
export async function provideInstallationId(db: Kysely<Tables>): Promise<string> {
  const known = await installationId(db);
  if (known !== undefined) return known;
  return await write(db, 'all', async (db) => {
    const made = await installationId(db);
    if (made !== undefined) return made;
    const id = newId();
    await db.insertInto('installation').values({ id, createdAt: Date.now(), keyId: null }).execute();
    return id;
  });
}

/** Finished backups of the installation. The operator must see when the last one was made. */

type Backup = Tables['backups'];

export async function addBackup(db: Database, backup: Backup): Promise<void> {
  await db.insertInto('backups').values(backup).execute();
}

/** Returns the instant of the newest backup's content. Undefined before the first backup. */
export async function lastBackupAt(db: Database): Promise<Instant | undefined> {
  const row = await db
    .selectFrom('backups')
    .select((eb) => eb.fn.max('at').as('at'))
    .executeTakeFirst();
  return row?.at == null ? undefined : Number(row.at);
}

/** The cluster of the deployments, by a unique ID. */

/**
 * Returns how many deployments that may have resources on an engine are on each cluster. The key null counts those
 * whose cluster is unknown.
 */
export async function countByCluster(db: Database): Promise<Map<string | null, number>> {
  const rows = await db
    .selectFrom('deployments')
    .select((eb) => ['cluster', eb.fn.countAll().as('count')])
    .where('goneAt', 'is', null)
    .groupBy('cluster')
    .execute();
  return new Map(rows.map(({ cluster, count }) => [cluster, Number(count)]));
}

/** Returns the cluster on which the last service was started. Null: none. */
export async function claimedCluster(db: Database): Promise<string | null> {
  const row = await db.selectFrom('installation').select('cluster').executeTakeFirst();
  return row?.cluster ?? null;
}

export async function claimCluster(db: Database, cluster: string | null): Promise<void> {
  await db.updateTable('installation').set({ cluster }).execute();
}

/** Assigns all deployments that may have resources on the engine to this cluster, or to none if null. */
export async function moveToCluster(db: Database, cluster: string | null): Promise<void> {
  await db.updateTable('deployments').set({ cluster }).where('goneAt', 'is', null).execute();
}
