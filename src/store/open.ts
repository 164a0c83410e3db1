/** The door of this layer: the database of a data directory. */
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { openSqlite, type Tables } from './database.ts';
import { installationId } from './installation.ts';

export type Store = AsyncDisposable & {
  db: Kysely<Tables>;
  /** The id of the installation. */
  owner: string;
};

/** Makes or migrates it where it has to be. */
export async function openStore({ dataDir }: { dataDir: string }): Promise<Store> {
  await using opening = new AsyncDisposableStack();
  const db = await openSqlite(join(dataDir, 'berth.db'));
  opening.defer(() => db.destroy());
  const owner = await installationId(db);
  const open = opening.move();
  return { db, owner, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
