/** PURE. Classifies errors of PostgreSQL and of the connection to it. */

export type PostgresTrouble =
  /** The connection is gone, or of no use any more; the next one may be better. */
  | 'lost'
  /** Undone by the database because of others at the same time: it goes better the next time, on this connection. */
  | 'undone'
  /** Gave up waiting: repeating it at once would only wait again. */
  | 'busy';

/** By SQLSTATE: https://www.postgresql.org/docs/15/errcodes-appendix.html. */
const troubleOfState: Record<string, PostgresTrouble> = {
  '40001': 'undone', // serialization_failure
  '40P01': 'undone', // deadlock_detected
  '0A000': 'lost', // a statement prepared before another release has changed its table; anything else is repeated in vain
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
const troubleOfClass: Record<string, PostgresTrouble> = { '08': 'lost', '53': 'lost' };

const systemCodes = [
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'],
  ...['ENOENT', 'ENOTFOUND', 'EAI_AGAIN'],
];

/** The driver's own, which have no code. */
const driverMessages: readonly [RegExp, PostgresTrouble][] = [
  [/^timeout exceeded when trying to connect/, 'busy'],
  [/^Query read timeout/, 'lost'],
  [/^Connection terminated/, 'lost'],
  [/connection error and is not queryable|Client was closed and is not queryable/, 'lost'],
];

/** Undefined for a mistake of ours, of the settings, or of the schema. */
export function troubleOf(error: unknown): PostgresTrouble | undefined {
  const { code, message = '' } = error as { code?: unknown; message?: string };
  if (typeof code === 'string') {
    if (systemCodes.includes(code)) return 'lost';
    return troubleOfState[code] ?? troubleOfClass[code.slice(0, 2)];
  }
  return driverMessages.find(([pattern]) => pattern.test(message))?.[1];
}
