/** Brings a database to the schema of this release, if the program that opens it may. */
import { DEFAULT_MIGRATION_TABLE, type Kysely, Migrator, type QueryExecutorProvider, sql } from 'kysely';
import { StartError } from '../../lib/start-error.ts';
import { isPostgres } from '../dialect/dialect.ts';
import { migrations } from './index.ts';
import { obstacleTo, type SchemaRight, schemaStep } from './schema-step.ts';

/**
 * Returns whether `migrate` has to run. Only reads, because a migration waits for other writers. Throws StartError if a
 * migration is needed but not allowed.
 */
export async function mustMigrate(database: QueryExecutorProvider, right: SchemaRight): Promise<boolean> {
  const step = schemaStep(await present(database), Object.keys(migrations));
  const obstacle = obstacleTo(step, right);
  if (obstacle !== undefined) throw new StartError(obstacle);
  return step.kind !== 'none';
}

/**
 * Applies the missing migrations in one transaction, so a fault leaves the previous schema. Of processes that start at
 * the same time, one migrates and the others wait for its lock.
 */
export async function migrate<T>(database: Kysely<T>): Promise<void> {
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (!error) return;
  // A newer release may have migrated it after `mustMigrate`, whose message is more specific than the migrator's error.
  await mustMigrate(database, 'all');
  throw error;
}

/** The names of the migrations that the database has been through. */
async function present(database: QueryExecutorProvider): Promise<string[]> {
  const name = DEFAULT_MIGRATION_TABLE;
  const isThere = isPostgres(database)
    ? sql<{ there: number }>`select count(*) as there where to_regclass(${name}) is not null`
    : sql<{ there: number }>`select count(*) as there from sqlite_master where name = ${name}`;
  if ((await isThere.execute(database)).rows[0]!.there === 0) return [];
  const query = sql<{ name: string }>`select name from ${sql.table(name)} order by name`;
  return (await query.execute(database)).rows.map((row) => row.name);
}
