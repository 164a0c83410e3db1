/**
 * Operator commands on an installation, with its service running or not. All of them work on the store, where a running
 * service sees the changes within seconds.
 */
import { existsSync } from 'node:fs';
import type { Kysely } from 'kysely';
import { databaseFile, openTables, type StoreSettings } from '../store/open.ts';
import type { Tables } from '../store/rows.ts';
import { obstacleOf, storeMoveOf } from '../store/store-moves.ts';

/** Undefined where no service was ever started from the data directory. Close it with `destroy`. */
export async function openStore(settings: StoreSettings): Promise<Kysely<Tables> | undefined> {
  const isThere = settings.databaseUrl !== undefined || existsSync(databaseFile(settings));
  return isThere ? await openTables(settings) : undefined;
}

/** Returns why the database must not be used, as a sentence. Undefined if it is the installation's current database. */
export async function obstacleAt(db: Kysely<Tables>): Promise<string | undefined> {
  return obstacleOf(await storeMoveOf(db));
}
