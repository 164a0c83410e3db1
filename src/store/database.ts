/**
 * The store: one portable schema, reached through Kysely, in SQLite or PostgreSQL. What differs between the two is in
 * `dialect`. Every table has a file of its own with its queries.
 */

import {
  type Dialect,
  HandleEmptyInListsPlugin,
  Kysely,
  replaceWithNoncontingentExpression,
  type Transaction,
} from 'kysely';
import { type PostgresSettings, postgresDialect, requireUsable } from './dialect/postgres.ts';
import { sqliteDialect } from './dialect/sqlite.ts';
import { isCurrent, migrate } from './migrations/migrate.ts';
import type { Tables } from './rows.ts';

/** The database, or a transaction of it: every query takes either. */
export type Database = Kysely<Tables> | Transaction<Tables>;

/** Opens (and creates or migrates) the database file; `:memory:` for tests. */
export async function openSqlite(file: string): Promise<Kysely<Tables>> {
  return await openDatabase(sqliteDialect(file));
}

/** Migrated to the schema of this version. */
export async function openDatabase(dialect: Dialect): Promise<Kysely<Tables>> {
  const database = new Kysely<Tables>({ dialect });
  if (!(await isCurrent(database))) await migrate(database);
  return database;
}

/** As `openDatabase`. Throws StartError where the server cannot be reached or used. */
export async function openPostgres(settings: PostgresSettings): Promise<Kysely<Tables>> {
  const database = new Kysely<Tables>({
    dialect: await postgresDialect(settings),
    // SQLite takes an empty list as it is.
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  });
  try {
    await requireUsable(database, settings);
    if (await isCurrent(database)) return database;
    await using patient = new Kysely<Tables>({ dialect: await postgresDialect(settings, true) });
    await migrate(patient);
    return database;
  } catch (error) {
    await database.destroy();
    throw error;
  }
}
