/** Sessions: who a session token stands for. Only the token's hash is kept. */
import type { Instant } from '../deployment/deployment.ts';
import { hashToken } from '../lib/ids.ts';
import type { Database } from './database.ts';

export async function addSession(
  db: Database,
  session: { id: string; token: string; createdAt: Instant },
): Promise<void> {
  const { id, token, createdAt } = session;
  await db
    .insertInto('sessions')
    .values({ id, tokenHash: hashToken(token), createdAt })
    .execute();
}

/** The id of the token's session, whether or not anything of it is still active. */
export async function sessionOfToken(db: Database, token: string): Promise<string | undefined> {
  const row = await db.selectFrom('sessions').select('id').where('tokenHash', '=', hashToken(token)).executeTakeFirst();
  return row?.id;
}
