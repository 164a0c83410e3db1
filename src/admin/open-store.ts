/**
 * What the operator does to an installation from a terminal, whether its service runs or not: all of it works on the
 * store, where a running service sees it within seconds.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { openSqlite, type Tables } from '../store/database.ts';

/** Undefined where no service was ever started. Close it with `destroy`. */
export async function openStore(dataDir: string): Promise<Kysely<Tables> | undefined> {
  const file = join(dataDir, 'berth.db');
  return existsSync(file) ? await openSqlite(file) : undefined;
}
