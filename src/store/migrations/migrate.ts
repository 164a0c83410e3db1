/** Brings a database to the schema of this version, and never back. */
import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_MIGRATION_TABLE, type Kysely, Migrator, sql } from 'kysely';
import { StartError } from '../../lib/start-error.ts';
import { migrations } from './index.ts';

/**
 * All that are missing in one transaction, so that a fault leaves the schema of before. Of processes that start at once
 * one does it, and the others wait: where a file is shared, because they begin to write, else for a lock of the database.
 * Throws StartError where a newer release has been at work.
 */
export async function migrate<T>(database: Kysely<T>): Promise<void> {
  const unknown = (await present(database)).find((name) => !Object.hasOwn(migrations, name));
  if (unknown !== undefined)
    throw new StartError(`The database was written by a newer release of Berth (${unknown}): use that one.`);
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

/** Migrating begins as a writer, and would wait for whoever writes: a command beside a service has nothing to migrate. */
export async function isCurrent<T>(database: Kysely<T>): Promise<boolean> {
  return isDeepStrictEqual(await present(database), Object.keys(migrations).sort());
}

/**
 * The names of those that the database has; none where their table is missing, and where they cannot be read: what else
 * is wrong, migrating finds too.
 */
async function present<T>(database: Kysely<T>): Promise<string[]> {
  const table = sql.table(DEFAULT_MIGRATION_TABLE);
  const query = sql<{ name: string }>`select name from ${table} order by name`;
  const { rows } = await query.execute(database).catch(() => ({ rows: [] }));
  return rows.map(({ name }) => name);
}
