/** Distinguishes the two databases for the few queries that differ. */
import { type Kysely, PostgresAdapter, sql } from 'kysely';
import { wait } from '../../lib/wait.ts';
import { otherServices } from './postgres.ts';

export function isPostgres(db: Pick<Kysely<unknown>, 'getExecutor'>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/**
 * Executes SQL statements in SQLite's dialect, each ending a line with a semicolon. In PostgreSQL, text is compared
 * byte by byte, as in SQLite, and a date is a point in time.
 */
export async function changeSchema(db: Kysely<unknown>, statements: string): Promise<void> {
  const text = isPostgres(db)
    ? statements.replace(/(?<=" )text\b/g, 'text collate "C"').replace(/(?<=" )date\b/g, 'timestamptz')
    : statements;
  for (const statement of text.split(/;\n/)) if (statement.trim() !== '') await sql.raw(statement).execute(db);
}

/** Returns whether the database has other connections: any in SQLite, those of services in PostgreSQL. */
export async function areOthersOn<T>(db: Kysely<T>): Promise<boolean> {
  if (isPostgres(db)) return (await otherServices(db)).length > 0;
  try {
    // This locks the file exclusively, which fails while another process has it open.
    await sql`pragma journal_mode = delete`.execute(db);
    return false;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === sqliteBusy) return true;
    throw error;
  } finally {
    await sql`pragma journal_mode = wal`.execute(db);
  }
}

/** https://www.sqlite.org/rescode.html#busy */
const sqliteBusy = 5;

/**
 * Discards old pages of the database, which may be sealed with a disclosed key. Returns false if they may stay in files
 * for some time: in SQLite's write-ahead log with constant readers, and in PostgreSQL's files and log until they are
 * overwritten, which its operator controls.
 */
export async function discardOldPages<T>(db: Kysely<T>): Promise<boolean> {
  if (isPostgres(db)) return false;
  for (let attempt = 0; attempt < 50; attempt++) {
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
    if (rows[0]?.busy === 0) return true;
    await wait(20);
  }
  return false;
}
