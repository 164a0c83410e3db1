/**
 * The mark of a move to another database, stored in both. A service does not start on a database that is being left,
 * was left, or is incomplete. Otherwise, two services would believe that they own the containers, and each would undo
 * the work of the other.
 */
import { StartError } from '../lib/start-error.ts';
import type { Database } from './database.ts';
import type { Tables } from './rows.ts';

export type StoreMove = Omit<Tables['storeMoves'], 'id' | 'isDone'> & { isDone: boolean };

export async function storeMoveOf(db: Database): Promise<StoreMove | undefined> {
  const row = await db
    .selectFrom('storeMoves')
    .select(['move', 'side', 'isDone', 'installation', 'place', 'run', 'at'])
    .executeTakeFirst();
  return row && { ...row, isDone: row.isDone === 1 };
}

export async function markMove(db: Database, { isDone, ...move }: StoreMove): Promise<void> {
  const row = { ...move, isDone: isDone ? 1 : 0 };
  await db
    .insertInto('storeMoves')
    .values({ id: 1, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
}

export async function unmarkMove(db: Database): Promise<void> {
  await db.deleteFrom('storeMoves').execute();
}

/** Throws StartError if this database must not be used. */
export async function requireNotMoving(db: Database): Promise<void> {
  const obstacle = obstacleOf(await storeMoveOf(db));
  if (obstacle !== undefined) throw new StartError(obstacle);
}

/** PURE. Why a database with this mark is not to be worked on; undefined when it is. */
export function obstacleOf(move: StoreMove | undefined): string | undefined {
  if (!move || (move.side === 'to' && move.isDone)) return undefined;
  const { side, isDone, place, at } = move;
  if (side === 'to')
    return `This database is an unfinished copy of ${place}: run \`berth admin migrate-store\` again there.`;
  const since = new Date(at).toISOString();
  const reported = isDone ? `was moved to ${place} at ${since}` : `is being moved to ${place} since ${since}`;
  return (
    `This installation ${reported}: ${isDone ? 'use that database' : 'run `berth admin migrate-store` again to finish'}, ` +
    'or `berth admin migrate-store --cancel` to stay here.'
  );
}
