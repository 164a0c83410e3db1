/**
 * Connections to PostgreSQL for Kysely. A broken connection is replaced. A statement is repeated if it cannot have
 * taken effect: reads, and statements that the database itself rolled back. Other failures become a `StoreFault` that
 * states whether the statement may have taken effect. `transaction.ts` repeats whole transactions.
 */
import { createHash } from 'node:crypto';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { wait } from '../../lib/wait.ts';
import { StoreFault } from '../store-fault.ts';

/** The number of attempts for a single statement that the database rolls back because of a conflict. */
const attempts = 5;

/** `patienceMs`: how long a request waits for a restarting database before it fails. */
export function forKysely(pool: Pool, patienceMs: number): PostgresPool {
  // The pool removes a broken idle connection by itself.
  pool.on('error', () => {});
  return {
    connect: async () => openConnection(pool, patienceMs, await acquire(pool, performance.now() + patienceMs)),
    end: () => pool.end(),
  };
}

async function acquire(pool: Pool, untilMs: number): Promise<PoolClient> {
  for (let pauseMs = 50; ; pauseMs *= 2) {
    try {
      const client = await pool.connect();
      // Also while idle, because an unhandled error of the connection would end the process.
      client.on('error', ignore);
      return client;
    } catch (error) {
      const isLate = performance.now() + pauseMs > untilMs;
      if (problemOf(error) !== 'lost' || isLate) throw reported(error, 'no', { isBrief: false });
      await wait(pauseMs);
    }
  }
}

function openConnection(pool: Pool, patienceMs: number, first: PoolClient): PostgresPoolClient {
  let client = first;
  let isBroken = false;
  let isInTransaction = false;

  function release(): void {
    client.off('error', ignore);
    client.release(isBroken);
  }

  async function replace(untilMs: number): Promise<void> {
    release();
    // The released connection has left a slot in the pool.
    client = await acquire(pool, untilMs);
    isBroken = false;
  }

  async function query(text: string, parameters: readonly unknown[]) {
    const untilMs = performance.now() + patienceMs;
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await client.query({ ...named(text, parameters), text, values: parameters.map(stored) });
        // The database rolls back a failed transaction even if its code did not notice the failure.
        if (text === 'commit' && result.command !== 'COMMIT') throw new Error('the transaction had failed before');
        if (isBegin(text)) isInTransaction = true;
        if (isEnd(text)) isInTransaction = false;
        return result;
      } catch (error) {
        const trouble = problemOf(error);
        isBroken ||= trouble === 'lost';
        if (text === 'rollback' && isBroken) return undone;
        const mayRepeat = !isInTransaction && text !== 'commit' && performance.now() < untilMs;
        if (mayRepeat && trouble === 'undone' && attempt < attempts) continue;
        if (mayRepeat && trouble === 'lost' && (isReading(text) || isBegin(text))) {
          await replace(untilMs);
          continue;
        }
        throw reported(error, isCertain(text, trouble, isInTransaction) ? 'no' : 'unknown');
      }
    }
  }

  return { query: query as unknown as PostgresPoolClient['query'], release };
}

const undone = { command: 'ROLLBACK', rowCount: 0, rows: [] };

function ignore(): void {}

/**
 * Returns whether the statement cannot have had an effect. Uncommitted changes are rolled back when the connection
 * ends.
 */
function isCertain(text: string, trouble: ReturnType<typeof problemOf>, isInTransaction: boolean): boolean {
  return trouble !== 'lost' || (isInTransaction ? text !== 'commit' : isReading(text));
}

function isReading(text: string): boolean {
  return text.startsWith('select ');
}

function isBegin(text: string): boolean {
  return text === 'begin' || text.startsWith('start transaction');
}

function isEnd(text: string): boolean {
  return text === 'commit' || text === 'rollback';
}

/** Without the rows (which may contain tokens) and connections that the driver attaches to its errors. */
function reported(
  error: unknown,
  wasDone: 'no' | 'unknown',
  { isBrief } = { isBrief: problemOf(error) !== 'busy' },
): Error {
  const { message, code } = error as { message: string; code?: string };
  if (problemOf(error)) return new StoreFault(`PostgreSQL: ${message}`, { wasDone, isBrief, code });
  const { constraint, table } = error as { constraint?: string; table?: string };
  return Object.assign(new Error(message), { code, ...(constraint && { constraint }), ...(table && { table }) });
}

/** PostgreSQL cannot store a zero byte in a text. SQLite can. The byte is replaced with the replacement character. */
function stored(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

/** Each length of a list is a separate statement, and each connection stores the named ones. */
const maxNames = 300;
const maxValues = 40;
/** The limit for statements of `write-all.ts`, whose number of values does not depend on a list. */
const maxValuesTogether = 120;
const names = new Map<string, string>();

/** Under a name, a statement is planned once for each connection, and not for each call. */
function named(text: string, { length }: readonly unknown[]): { name?: string } {
  const most = text.startsWith('with ') ? maxValuesTogether : maxValues;
  if (length === 0 || length > most || !/^(?:select|insert|update|delete|with) /.test(text)) return {};
  const known = names.get(text);
  if (known !== undefined) return { name: known };
  if (names.size >= maxNames) return {};
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 32);
  names.set(text, name);
  return { name };
}

/** Classifies errors of PostgreSQL and of the connection to it. */

type PostgresProblem =
  /** The connection is lost or unusable. The next one may work. */
  | 'lost'
  /** Rolled back by the database because of concurrent transactions. A retry on this connection may succeed. */
  | 'undone'
  /** The wait timed out. An immediate retry would only wait again. */
  | 'busy';

/** Problems by SQLSTATE: https://www.postgresql.org/docs/15/errcodes-appendix.html. */
const troubleOfState: Record<string, PostgresProblem> = {
  '40001': 'undone', // serialization_failure
  '40P01': 'undone', // deadlock_detected
  '0A000': 'lost', // A statement that was prepared before another release changed its table. Other errors are not worth a retry.
  '25006': 'lost', // read_only_sql_transaction: it was the primary once
  '25P03': 'lost', // idle_in_transaction_session_timeout
  '55P03': 'busy', // lock_not_available
  '57014': 'busy', // query_canceled: the statement's time is up
  '57P01': 'lost', // admin_shutdown
  '57P02': 'lost', // crash_shutdown
  '57P03': 'lost', // cannot_connect_now: it is starting
  '57P05': 'lost', // idle_session_timeout
};

/** 08: of the connection; 53: no connections, memory or disk left. */
const troubleOfClass: Record<string, PostgresProblem> = { '08': 'lost', '53': 'lost' };

const systemCodes = [
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'],
  ...['ENOENT', 'ENOTFOUND', 'EAI_AGAIN'],
];

/** The driver's own, which have no code. */
const driverMessages: readonly [RegExp, PostgresProblem][] = [
  [/^timeout exceeded when trying to connect/, 'busy'],
  [/^Query read timeout/, 'lost'],
  [/^Connection terminated/, 'lost'],
  [/connection error and is not queryable|Client was closed and is not queryable/, 'lost'],
];

/** Undefined for a mistake of ours, of the settings, or of the schema. */
function problemOf(error: unknown): PostgresProblem | undefined {
  const { code, message = '' } = error as { code?: unknown; message?: string };
  if (typeof code === 'string') {
    if (systemCodes.includes(code)) return 'lost';
    return troubleOfState[code] ?? troubleOfClass[code.slice(0, 2)];
  }
  return driverMessages.find(([pattern]) => pattern.test(message))?.[1];
}
