/** The embedded database: a file, with Node's own driver. One process writes at a time, and the others wait. */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { type Dialect, SqliteAdapter, type SqliteDatabase, SqliteDialect } from 'kysely';
import { StoreFault } from '../store-fault.ts';

/** The maximum wait for another process, in milliseconds. */
const patienceMs = 5_000;

/** Opens a file, which is created if it is missing. `:memory:` for tests. */
export function sqliteDialect(file: string): Dialect {
  // SQLite makes it readable to all, and its write-ahead log like the file itself.
  if (file !== ':memory:') closeSync(openSync(file, 'a', 0o600));
  // Set first, because even the first access to the file waits, for example for a process that is closing it.
  return orFault(() => dialectOf(new DatabaseSync(file, { timeout: patienceMs })));
}

/** Returns the dialect of an open database. */
export function dialectOf(sqlite: DatabaseSync): Dialect {
  // FULL: the data of an answered request survives a power failure, not only a crash of the process. Costs 0.18 ms per
  // write (measured).
  setWriteAheadLog(sqlite);
  sqlite.exec('pragma synchronous = full');
  // Deleted and overwritten data is erased from the file too. It may be sealed with a key that has leaked.
  sqlite.exec('pragma secure_delete = on');
  return new TransactionalDialect({ database: forKysely(sqlite) });
}

/**
 * If two processes set the mode of a new database at once, SQLite reports one of them as busy without waiting for the
 * timeout, because both hold a lock that the other one needs.
 */
function setWriteAheadLog(sqlite: DatabaseSync): void {
  const startedMs = performance.now();
  for (;;) {
    try {
      sqlite.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() - startedMs > patienceMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/**
 * SQLite can change tables within transactions, which Kysely does not use by default. So a migration is atomic, and of
 * processes that start at once, one migrates while the others wait.
 */
class TransactionalDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * Transactions read and then write. One that begins as a reader is refused at its first write if another process (a
 * command of the operator) has written since. One that begins as a writer waits for it instead.
 */
const beginToWrite = 'begin immediate';

const nothingChanged = { changes: 0, lastInsertRowid: 0 };

function orFault<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw sqliteFault(error);
  }
}

/** Kysely's dialect was made for another driver. This adapts Node's. */
function forKysely(sqlite: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, { statement: ReturnType<DatabaseSync['prepare']>; reader: boolean }>();

  function statementOf(sql: string) {
    const known = statements.get(sql);
    if (known) return known;
    const statement = sqlite.prepare(sql === 'begin' ? beginToWrite : sql);
    const made = { statement, reader: statement.columns().length > 0 };
    statements.set(sql, made);
    return made;
  }

  return {
    close: () => sqlite.close(),
    prepare(sql) {
      const { statement, reader } = statementOf(sql);
      const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
      return {
        reader,
        all: (parameters) => orFault(() => statement.all(...values(parameters))),
        run(parameters) {
          // SQLite has already rolled back, for example because the disk is full. An error here would hide that one.
          if (sql === 'rollback' && !sqlite.isTransaction) return nothingChanged;
          return orFault(() => statement.run(...values(parameters)));
        },
        iterate: (parameters) => statement.iterate(...values(parameters)) as IterableIterator<unknown>,
      };
    },
  };
}

/** Classifies errors of SQLite: https://www.sqlite.org/rescode.html. */

/** The lowest byte is the kind of the error. */
const busy = 5;
const full = 13;

/** The shared-memory file of the write-ahead log cannot grow. */
const noSharedMemory = 4874;

/** Returns whether another connection has a lock that the statement needs. */
function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) === busy;
}

/** Converts a full disk to a StoreFault without effect. Other errors are returned unchanged. */
function sqliteFault(error: unknown): unknown {
  const { errcode, message } = error as { errcode?: unknown; message?: string };
  if (typeof errcode !== 'number' || ((errcode & 0xff) !== full && errcode !== noSharedMemory)) return error;
  return new StoreFault(`SQLite: ${message}`, { wasDone: 'no', isBrief: false, code: 'SQLITE_FULL' });
}
