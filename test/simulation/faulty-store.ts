/**
 * The only database of a run as its clients see it: writes fail, answers are lost on the way, and reads arrive late. A
 * shared connection performs the requests of all clients, one after the other.
 */
import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { StoreFault } from '../../src/store/store-fault.ts';

export type StoreFaults = {
  /** Called before each request: a dead client sends none. */
  ready?: () => Promise<void>;
  /** Whether the next write fails: called when a connection is taken. */
  losesWrite?: () => boolean;
  /** Whether what was just written is done, and the client never hears of it. */
  losesAnswer?: () => boolean;
  /** How much later the client has what it read, while others write. */
  delaysRead?: () => Promise<void> | undefined;
};

/** The fault of a broken PostgreSQL connection: SQLSTATE 08006, connection_failure. */
const lost = () => new StoreFault('Simulated: no answer came.', { wasDone: 'unknown', isBrief: true, code: '08006' });

const isWriting = /^(insert|update|delete)/;

/** Over a shared driver, which must not be closed. */
export function faultyDriver(driver: Driver, faults: StoreFaults): Driver {
  const { ready, losesWrite, losesAnswer, delaysRead } = faults;
  const released = new WeakSet<DatabaseConnection>();
  return {
    init: async () => {},
    async acquireConnection() {
      await ready?.();
      const isFull = losesWrite?.() ?? false;
      const real = await driver.acquireConnection();
      let isInTransaction = false;
      const connection: DatabaseConnection = {
        streamQuery: real.streamQuery.bind(real),
        async executeQuery<R>(query: Parameters<DatabaseConnection['executeQuery']>[0]) {
          const text = query.sql;
          // It is over already.
          if (text === 'rollback' && !isInTransaction) return { rows: [] };
          if (isFull && isWriting.test(text)) throw new Error('database or disk is full');
          const result = await real.executeQuery<R>(query);
          if (text === 'begin') isInTransaction = true;
          if (text === 'commit' || text === 'rollback') isInTransaction = false;
          if (isInTransaction || text === 'rollback') return result;
          if ((text === 'commit' || isWriting.test(text)) && losesAnswer?.()) throw lost();
          const delay = text.startsWith('select') ? delaysRead?.() : undefined;
          if (!delay) return result;
          released.add(connection);
          await driver.releaseConnection(real);
          await delay;
          return result;
        },
      };
      return connection;
    },
    beginTransaction: driver.beginTransaction.bind(driver),
    commitTransaction: driver.commitTransaction.bind(driver),
    rollbackTransaction: driver.rollbackTransaction.bind(driver),
    async releaseConnection(connection) {
      if (!released.has(connection)) await driver.releaseConnection(connection);
    },
    destroy: async () => {},
  };
}

export function dialectOn(driver: Driver): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createDriver: () => driver,
  };
}
