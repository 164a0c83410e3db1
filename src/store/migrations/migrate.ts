/** Brings a database to the schema of this version, and never back. */
import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_MIGRATION_TABLE, type Kysely, Migrator, sql } from 'kysely';
import { migrations } from './index.ts';

/**
 * All that are missing in one transaction, so that a fault leaves the schema of before. Of processes that start at once
 * one does it, and the others wait: where a file is shared, because they begin to write, else for a lock of the database.
 */
export async function migrate<T>(database: Kysely<T>): Promise<void> {
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

/** Migrating begins as a writer, and would wait for whoever writes: a command beside a service has nothing to migrate. */
export async function isCurrent<T>(database: Kysely<T>): Promise<boolean> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return false;
  const table = sql.table(DEFAULT_MIGRATION_TABLE);
  const { rows } = await sql<{ name: string }>`select name from ${table} order by name`.execute(database);
  // One that is not known here is a newer release's, and for the migrator to refuse.
  return isDeepStrictEqual(
    rows.map(({ name }) => name),
    Object.keys(migrations).sort(),
  );
}
