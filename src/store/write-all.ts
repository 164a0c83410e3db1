/**
 * Combined statements: in PostgreSQL each statement is a round trip, during which other writers may wait for a lock.
 */
import { type Compilable, type OperationNodeSource, sql } from 'kysely';
import type { Database } from './database.ts';
import { isPostgres } from './dialect/dialect.ts';

/** A statement that changes rows and was not executed yet. */
export type Writing = Compilable & OperationNodeSource & { execute(): Promise<unknown> };

/**
 * Call it in a transaction. In PostgreSQL, all are written in one statement. None sees the writes of others, and no two
 * may write the same row. Rows may refer to each other, because references are checked afterwards.
 */
export async function writeAll(db: Database, writings: readonly Writing[]): Promise<void> {
  if (!isPostgres(db)) {
    for (const writing of writings) await writing.execute();
    return;
  }
  const named = writings.map((writing, index) => sql`${sql.id(`writing${index}`)} as (${writing})`);
  await sql`with ${sql.join(named)} select 1`.execute(db);
}
