/**
 * Edges: which version of the route table each one serves, and until when it answers at all. What old routes lead to may
 * be somebody else's as soon as every edge serves a newer version, or answers no more.
 */
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';
import { isPostgres } from './dialect/dialect.ts';
import { telling } from './news.ts';
import type { EdgeRow } from './rows.ts';

/** Of an edge that needs no word from anybody, because there is no other. */
export const forever: Instant = 9_999_999_999_000;

/** Says that an edge is there, before it reads any route: whoever removes one from now on waits for it. */
export async function registerEdge(db: Database, edge: Omit<EdgeRow, 'version'>): Promise<void> {
  const row = { ...edge, version: 0 };
  await db
    .insertInto('edges')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}

/** False when it was struck off: others have gone on without it, and it has to register anew before it answers. */
export async function renewEdge(
  db: Database,
  { id, version, answersUntil }: Pick<EdgeRow, 'id' | 'version' | 'answersUntil'>,
): Promise<boolean> {
  const rows = await db
    .updateTable('edges')
    .set({ version, answersUntil })
    .where('id', '=', id)
    .returning('id')
    .$if(isPostgres(db), (query) => query.returning(telling('edges')))
    .execute();
  return rows.length > 0;
}

export async function edgeOf(db: Database, id: string): Promise<EdgeRow | undefined> {
  return await db.selectFrom('edges').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function otherEdges(db: Database, id: string): Promise<EdgeRow[]> {
  return await db.selectFrom('edges').selectAll().where('id', '!=', id).orderBy('id').execute();
}

/**
 * Strikes an edge off that was found like this and does not answer any more; false when it has said something since. Of
 * the two, this and its next word, the database lets one be first.
 */
export async function strikeEdge(db: Database, { id, version, answersUntil }: EdgeRow): Promise<boolean> {
  const result = await db
    .deleteFrom('edges')
    .where('id', '=', id)
    .where('version', '=', version)
    .where('answersUntil', '=', answersUntil)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}
