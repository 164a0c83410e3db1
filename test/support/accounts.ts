/** Accounts without a sign-up. */
import type { Database } from '../../src/store/database.ts';

/** Adds an account with the address `<id>@example.com`. */
export async function addAccount(db: Database, id: string, { isVerified = true } = {}): Promise<void> {
  const at = new Date(0).toISOString();
  const account = { id, name: id, email: `${id}@example.com`, emailVerified: isVerified, tier: null };
  await db
    .insertInto('accounts')
    .values({ ...account, createdAt: at, updatedAt: at } as never)
    .execute();
}
