/** Transactions whose outcome is a value. */
import type { Kysely, Transaction } from 'kysely';
import type { Result } from '../lib/problem.ts';
import type { Tables } from './database.ts';

/** Undoes the transaction that it is thrown in. */
class Undone extends Error {
  readonly result: Result<unknown>;

  constructor(result: Result<unknown>) {
    super('undone');
    this.result = result;
  }
}

export type Transacting = {
  /** Everything is done and then undone: whether it would succeed, and with what. */
  isTrial?: boolean;
};

/** A refusal undoes what was written before it, as a fault does. */
export async function transact<T>(
  db: Kysely<Tables>,
  work: (db: Transaction<Tables>) => Promise<Result<T>>,
  { isTrial = false }: Transacting = {},
): Promise<Result<T>> {
  try {
    return await db.transaction().execute(async (transaction) => {
      const result = await work(transaction);
      if (!result.ok || isTrial) throw new Undone(result);
      return result;
    });
  } catch (error) {
    if (error instanceof Undone) return error.result as Result<T>;
    throw error;
  }
}
