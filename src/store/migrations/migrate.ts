/** Brings a database to the schema of this version, as far as whoever opens it may, and never back. */
import { DEFAULT_MIGRATION_TABLE, type Kysely, Migrator, sql } from 'kysely';
import { StartError } from '../../lib/start-error.ts';
import { isPostgres } from '../dialect/dialect.ts';
import { type SchemaStep, schemaStep } from './generations.ts';
import { generationChanges, migrations } from './index.ts';

/**
 * What may be changed of the schema. `all`: the database is nobody else's, such as a copy. A service adds to it, and begins
 * the generation that the operator has agreed to; undefined: none. Commands, which may be of another release than the
 * service that runs, change `nothing`, or `make` what they fill.
 */
export type SchemaRight = 'all' | 'make' | 'nothing' | { agreedGeneration: number | undefined };

/** Migrating begins as a writer, and would wait for whoever writes: so who has nothing to migrate finds that out first. */
export async function stepOf<T>(database: Kysely<T>): Promise<SchemaStep> {
  return schemaStep(await present(database), Object.keys(migrations));
}

/** Whether a newer release of the same generation has added what this one does not know. */
export async function hasAdditions<T>(database: Kysely<T>): Promise<boolean> {
  const step = await stepOf(database);
  return step.kind === 'none' && step.additions.length > 0;
}

/** PURE. Why it must not be made, in sentences for the operator; undefined: it may. */
export function obstacleTo(step: SchemaStep, right: SchemaRight): string | undefined {
  if (step.kind === 'none') return undefined;
  if (step.kind === 'impossible')
    return `The database was written by a newer release of Berth (${step.unknown}), and this one cannot use it: use that one, or restore a backup from before.`;
  if (right === 'all' || (step.kind === 'make' && right !== 'nothing')) return undefined;
  if (step.kind === 'make') return 'No service was ever started on this database.';
  if (right === 'nothing' || right === 'make')
    return 'The database has the schema of an earlier release, and only a service that starts changes it. Start the service of this release first, or use the command of that one.';
  if (step.kind !== 'begin-generation' || right.agreedGeneration === step.to) return undefined;
  return `This release needs another schema of the database (generation ${step.to}, and it is ${step.from}). The change cannot be undone: ${changesBetween(step)}. Nothing was changed.
${backupAdvice(step)} Then start this one with BERTH_CHANGE_SCHEMA=${step.to}.`;
}

function backupAdvice({ hasBackups }: Pick<Extract<SchemaStep, { kind: 'begin-generation' }>, 'hasBackups'>): string {
  if (hasBackups) return 'Make a backup with the previous release (`berth admin backup`).';
  return 'The previous release has no command for backups: stop it, and copy the data directory (and dump the PostgreSQL database, if it uses one).';
}

function changesBetween({ from, to }: { from: number; to: number }): string {
  const begun = Array.from({ length: to - from }, (_, index) => from + index + 1);
  return begun.map((generation) => generationChanges[generation]).join('; ');
}

/**
 * All that are missing in one transaction, so that a fault leaves the schema of before. Of processes that start at once
 * one does it, and the others wait: where a file is shared, because they begin to write, else for a lock of the database.
 */
export async function migrate<T>(database: Kysely<T>): Promise<void> {
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (!error) return;
  // Another release may have been at work since it was looked at: one of this generation has then made all this one needs.
  const step = await stepOf(database);
  if (step.kind === 'none') return;
  const obstacle = obstacleTo(step, 'all');
  throw obstacle === undefined ? error : new StartError(obstacle);
}

/** The names of those that the database has; none where nothing has made its tables. */
async function present<T>(database: Kysely<T>): Promise<string[]> {
  const name = DEFAULT_MIGRATION_TABLE;
  const isThere = isPostgres(database)
    ? sql<{ there: number }>`select count(*) as there where to_regclass(${name}) is not null`
    : sql<{ there: number }>`select count(*) as there from sqlite_master where name = ${name}`;
  if ((await isThere.execute(database)).rows[0]!.there === 0) return [];
  const query = sql<{ name: string }>`select name from ${sql.table(name)} order by name`;
  return (await query.execute(database)).rows.map((row) => row.name);
}
