/** Detects a damaged SQLite file, and explains what the operator can do. */
import { type Kysely, sql } from 'kysely';
import { StartError } from '../../lib/start-error.ts';

/** https://www.sqlite.org/rescode.html; the lowest byte is the kind of the error. */
const [corrupt, notADatabase] = [11, 26];

export function isCorruption(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) in { [corrupt]: true, [notADatabase]: true };
}

/** For the operator. `file`: the path of the database. */
export function describeCorruption(file: string, because: string): string {
  return `The database ${file} is damaged (${because}). Nothing was changed.
1. Restore a backup: move ${file} aside, then berth admin restore --from PLACE.
2. Recover what can be read: sqlite3 ${file} .recover | sqlite3 recovered.db, then put recovered.db in its place.
3. Begin a new, empty installation: set another BERTH_DATA_DIR.`;
}

/** Reads the whole file: 0.2 s for 100 MB. Throws StartError. */
export async function requireSound<T>(db: Kysely<T>, file: string): Promise<void> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db).catch((error: Error) => {
    throw isCorruption(error) ? new StartError(describeCorruption(file, error.message)) : error;
  });
  const [first] = rows;
  if (first && first.quick_check !== 'ok') {
    const because = first.quick_check.replace(/^\*\*\*.*\*\*\*\s*/, '').split('\n')[0]!;
    throw new StartError(describeCorruption(file, because));
  }
}
