/**
 * Transactions that read and then write based on that. Each acquires a right to the rows that it may write, which
 * excludes concurrent writers of the same rows.
 */
import { type Kysely, sql, type Transaction } from 'kysely';
import { createSemaphore, type Semaphore } from '../lib/concurrency.ts';
import type { Result } from '../lib/problem.ts';
import { wait } from '../lib/wait.ts';
import { isPostgres } from './dialect/dialect.ts';
import type { Tables } from './rows.ts';
import { StoreFault } from './store-fault.ts';

/**
 * `all`: exclusive, for changes that depend on many rows, such as limits, names and bans. A deployment: its row,
 * revisions, events and lease, concurrently with writers of other deployments. In SQLite every writer is exclusive.
 */
export type Right = 'all' | { deploymentId: string };

/** Runs `work` atomically. If the database prevented it without effect, `work` is repeated, so it may run twice. */
export async function write<T>(
  db: Kysely<Tables>,
  right: Right,
  work: (db: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  if (!isPostgres(db)) return await db.transaction().execute(work);
  if (right !== 'all') return await writeUntilDone(db, right, work);
  return await turnsOf(db)(() => writeUntilDone(db, right, work));
}

/**
 * Transactions that lock the whole database wait in turn before they take a connection. Only the first one waits for
 * other processes. The other connections stay available for reads.
 */
const turns = new WeakMap<Kysely<Tables>, Semaphore>();

function turnsOf(db: Kysely<Tables>): Semaphore {
  const known = turns.get(db) ?? createSemaphore(1);
  turns.set(db, known);
  return known;
}

async function writeUntilDone<T>(
  db: Kysely<Tables>,
  right: Right,
  work: (db: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const transaction = db.transaction().setIsolationLevel('read committed');
      return await transaction.execute(async (transaction) => {
        await takeRight(transaction, right);
        return await work(transaction);
      });
    } catch (error) {
      if (!mayRepeat(error) || attempt === attempts) throw error;
      await wait(Math.random() * 20 * 2 ** attempt);
    }
  }
}

const attempts = 5;

/** A request whose wait has timed out would only wait again. */
function mayRepeat(error: unknown): boolean {
  return error instanceof StoreFault && error.wasDone === 'no' && error.isBrief;
}

const startPatienceMs = 60_000;

/** Runs work that no client waits for, such as the writes of a start, and repeats it while the database is busy. */
export async function untilDone<T>(work: () => Promise<T>, patienceMs = startPatienceMs): Promise<T> {
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isUndone = error instanceof StoreFault && error.wasDone === 'no' && !error.isFull;
      if (!isUndone || performance.now() > untilMs) throw error;
      await wait(Math.random() * 500);
    }
  }
}

/** Advisory locks with these two numbers belong to Berth. */
const everything = 0x6265_7274;
const oneDeployment = 0x6265_7275;

/**
 * Held until the end of the transaction. A writer with the right to all rows waits for all writers of deployments, and
 * vice versa, in the order of their arrival. This is the first statement, so that later ones see everything committed
 * before.
 */
async function takeRight(db: Transaction<Tables>, right: Right): Promise<void> {
  const locks =
    right === 'all'
      ? sql`select pg_advisory_xact_lock(${sql.lit(everything)}, 0)`
      : sql`select pg_advisory_xact_lock_shared(${sql.lit(everything)}, 0),
          pg_advisory_xact_lock(${sql.lit(oneDeployment)}, hashtext(${right.deploymentId}))`;
  await locks.execute(db);
}

/** Undoes the transaction that it is thrown in. */
class Undone extends Error {
  readonly result: Result<unknown>;

  constructor(result: Result<unknown>) {
    super('undone');
    this.result = result;
  }
}

export type Transacting = {
  /** Runs everything and rolls back, to see whether it would succeed. */
  isTrial?: boolean;
};

/** As `write`, with the right to all rows. A refusal rolls back like a fault. */
export async function transact<T>(
  db: Kysely<Tables>,
  work: (db: Transaction<Tables>) => Promise<Result<T>>,
  { isTrial = false }: Transacting = {},
): Promise<Result<T>> {
  try {
    return await write(db, 'all', async (transaction) => {
      const result = await work(transaction);
      if (!result.ok || isTrial) throw new Undone(result);
      return result;
    });
  } catch (error) {
    if (error instanceof Undone) return error.result as Result<T>;
    throw error;
  }
}
