/**
 * Edges: the version of the route table that each one serves, and until when it counts as alive. The target of an old
 * route may be reused once every edge serves a newer version or has expired.
 */
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from './database.ts';
import { isPostgres } from './dialect/dialect.ts';
import { notification } from './notify-processes.ts';
import type { EdgeRow } from './rows.ts';

/** For the only edge, which never expires. */
export const forever: Instant = 9_999_999_999_000;

/** Registers an edge before it reads any route, so that removals of routes wait for it from now on. */
export async function registerEdge(db: Database, edge: Omit<EdgeRow, 'version'>): Promise<void> {
  const row = { ...edge, version: 0 };
  await db
    .insertInto('edges')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}

/** Returns false if the edge was evicted. It must register again before it answers requests. */
export async function renewEdge(
  db: Database,
  { id, version, answersUntil }: Pick<EdgeRow, 'id' | 'version' | 'answersUntil'>,
): Promise<boolean> {
  const rows = await db
    .updateTable('edges')
    .set({ version, answersUntil })
    .where('id', '=', id)
    .returning('id')
    .$if(isPostgres(db), (query) => query.returning(notification('edges')))
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
 * Evicts an edge that was found in this state and does not respond. Returns false if it has reported since. The
 * database decides which of the two comes first.
 */
export async function evictEdge(db: Database, { id, version, answersUntil }: EdgeRow): Promise<boolean> {
  const result = await db
    .deleteFrom('edges')
    .where('id', '=', id)
    .where('version', '=', version)
    .where('answersUntil', '=', answersUntil)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}
