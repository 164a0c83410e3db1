/** Which installation this is: the owner label of everything that it makes on an engine. */
import { newId } from '../lib/ids.ts';
import type { Database } from './database.ts';

/** The installation's id, made at the first call. */
export async function installationId(db: Database): Promise<string> {
  const known = await db.selectFrom('installation').select('id').executeTakeFirst();
  if (known) return known.id;
  const id = newId();
  await db.insertInto('installation').values({ id, createdAt: Date.now() }).execute();
  return id;
}
