/** PURE. Classifies errors of SQLite: https://www.sqlite.org/rescode.html. */
import { StoreFault } from '../store-fault.ts';

/** The lowest byte is the kind of the error. */
const busy = 5;
const full = 13;
/** The shared-memory file of the write-ahead log cannot grow. */
const noSharedMemory = 4874;

/** Returns whether another connection has a lock that the statement needs. */
export function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) === busy;
}

/** A full disk as a StoreFault: nothing was done. Any other error stays as it is. */
export function sqliteFault(error: unknown): unknown {
  const { errcode, message } = error as { errcode?: unknown; message?: string };
  if (typeof errcode !== 'number' || ((errcode & 0xff) !== full && errcode !== noSharedMemory)) return error;
  return new StoreFault(`SQLite: ${message}`, { wasDone: 'no', isBrief: false, code: 'SQLITE_FULL' });
}
