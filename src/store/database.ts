/**
 * The store: one portable schema, accessed through Kysely, in SQLite or PostgreSQL. `dialect` contains the differences
 * between the two. Every table has its own file with its queries.
 */

import {
  type Dialect,
  HandleEmptyInListsPlugin,
  Kysely,
  replaceWithNoncontingentExpression,
  type Transaction,
} from 'kysely';
import { StartError } from '../lib/start-error.ts';
import { type PostgresSettings, postgresDialect, requireUsable } from './dialect/postgres.ts';
import { sqliteDialect } from './dialect/sqlite.ts';
import { describeCorruption, isCorruption } from './dialect/sqlite-corruption.ts';
import { migrate, mustMigrate } from './migrations/migrate.ts';
import type { SchemaRight } from './migrations/schema-step.ts';
import type { Tables } from './rows.ts';

/** The database, or a transaction of it: every query takes either. */
export type Database = Kysely<Tables> | Transaction<Tables>;

/** Opens, and where it may creates or migrates, the database file; `:memory:` for tests. Throws StartError. */
export async function openSqlite(file: string, right: SchemaRight = 'all'): Promise<Kysely<Tables>> {
  try {
    return await openDatabase(sqliteDialect(file), right);
  } catch (error) {
    throw isCorruption(error) ? new StartError(describeCorruption(file, (error as Error).message)) : error;
  }
}

/** Opens the database with the schema of this release. Throws StartError. */
export async function openDatabase(dialect: Dialect, right: SchemaRight = 'all'): Promise<Kysely<Tables>> {
  const database = new Kysely<Tables>({ dialect });
  try {
    if (await mustMigrate(database, right)) await migrate(database);
    return database;
  } catch (error) {
    await database.destroy();
    throw error;
  }
}

/** As `openDatabase`. Throws StartError also if the server cannot be reached or used. */
export async function openPostgres(settings: PostgresSettings, right: SchemaRight = 'all'): Promise<Kysely<Tables>> {
  const database = new Kysely<Tables>({
    dialect: await postgresDialect(settings),
    // SQLite takes an empty list as it is.
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  });
  try {
    await requireUsable(database, settings);
    if (!(await mustMigrate(database, right))) return database;
    await using patient = new Kysely<Tables>({ dialect: await postgresDialect(settings, true) });
    await migrate(patient);
    return database;
  } catch (error) {
    await database.destroy();
    throw error;
  }
}
