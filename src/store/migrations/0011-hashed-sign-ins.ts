/** Tokens of sign-ins were stored as they are; from now on their hashes are. */
import type { Kysely } from 'kysely';
import { hashToken } from '../../lib/ids.ts';

export async function up(db: Kysely<{ signIns: { id: string; token: string } }>): Promise<void> {
  const rows = await db.selectFrom('signIns').select(['id', 'token']).execute();
  for (const { id, token } of rows) {
    await db
      .updateTable('signIns')
      .set({ token: hashToken(token) })
      .where('id', '=', id)
      .execute();
  }
}
