/**
 * What the operator does to an installation from a terminal, whether its service runs or not: all of it works on the
 * store, where a running service sees it within seconds.
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

/** Why nobody is to work on it, in a sentence; undefined when it is the one that the installation is in. */
export async function obstacleAt(db: Kysely<Tables>): Promise<string | undefined> {
  return obstacleOf(await storeMoveOf(db));
}
