/** The key that an authority knows this installation by; sealed, one for each directory. */
import type { Kysely } from 'kysely';
import type { Seal } from '../lib/seal.ts';
import type { Tables } from './rows.ts';
import { write } from './transaction.ts';

/**
 * The key of the account there: the one that is stored, or `made` from now on. PEM. One that cannot be opened any more is
 * replaced: the authority takes a new account as well.
 */
export async function accountKey(
  db: Kysely<Tables>,
  seal: Seal,
  { directory, make }: { directory: string; make: () => Promise<string> },
): Promise<string> {
  const made = await make();
  return await write(db, 'all', async (db) => {
    const row = await db.selectFrom('acmeAccounts').select('key').where('directory', '=', directory).executeTakeFirst();
    const known = row && opened(seal, row.key);
    if (known !== undefined) return known;
    const key = seal.close(made);
    await db
      .insertInto('acmeAccounts')
      .values({ directory, key })
      .onConflict((conflict) => conflict.column('directory').doUpdateSet({ key }))
      .execute();
    return made;
  });
}

function opened(seal: Seal, sealed: Uint8Array): string | undefined {
  try {
    return seal.open(sealed);
  } catch {
    return undefined;
  }
}
