/**
 * Combined statements: in PostgreSQL each statement is a round trip, during which other writers may wait for a lock.
 */
import { type Compilable, type OperationNodeSource, sql } from 'kysely';
import type { Database } from './database.ts';
import { isPostgres } from './dialect/dialect.ts';

/** A statement that changes rows and was not executed yet. */
export type Writing = Compilable & OperationNodeSource & { execute(): Promise<unknown> };

/**
 * In a transaction: all of them, in PostgreSQL as one statement. None sees what another one writes, and no two may write
 * the same row; rows may refer to each other, since that is looked at afterwards.
 */
export async function writeAll(db: Database, writings: readonly Writing[]): Promise<void> {
  if (!isPostgres(db)) {
    for (const writing of writings) await writing.execute();
    return;
  }
  const named = writings.map((writing, index) => sql`${sql.id(`writing${index}`)} as (${writing})`);
  await sql`with ${sql.join(named)} select 1`.execute(db);
}
