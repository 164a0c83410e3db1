/** Which installation this is: the owner label of everything that it makes on an engine. */
import type { Kysely } from 'kysely';
import { newId } from '../lib/ids.ts';
import type { Database } from './database.ts';
import type { Tables } from './rows.ts';
import { write } from './transaction.ts';

/** The installation's id; undefined in a database that no service has ever started on. */
export async function installationId(db: Database): Promise<string | undefined> {
  const known = await db.selectFrom('installation').select('id').executeTakeFirst();
  return known?.id;
}

/** Which key the processes of this installation seal with; null before one has said it. */
export async function installationKeyId(db: Database): Promise<string | null> {
  const known = await db.selectFrom('installation').select('keyId').executeTakeFirst();
  return known?.keyId ?? null;
}

export async function recordKeyId(db: Database, keyId: string): Promise<void> {
  await db.updateTable('installation').set({ keyId }).execute();
}

/** As `installationId`; of processes that start at once on a new database, one makes it. */
export async function provideInstallationId(db: Kysely<Tables>): Promise<string> {
  const known = await installationId(db);
  if (known !== undefined) return known;
  return await write(db, 'all', async (db) => {
    const made = await installationId(db);
    if (made !== undefined) return made;
    const id = newId();
    await db.insertInto('installation').values({ id, createdAt: Date.now(), keyId: null }).execute();
    return id;
  });
}
