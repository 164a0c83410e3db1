/** The parts that all runs share: the store, which is emptied between them, and the API. */
import { type Driver, type Kysely, sql } from 'kysely';
import { openDatabase } from '../../src/store/database.ts';
import { sqliteDialect } from '../../src/store/dialect/sqlite.ts';
import type { Tables } from '../../src/store/rows.ts';
import { type TestApi, testApi } from '../support/api.ts';
import { faultyDriver } from './faulty-store.ts';
import { limits } from './settings.ts';

/** The store and the API of all runs: to make them takes longer than a run. */
export type Base = {
  db: Kysely<Tables>;
  driver: Driver;
  api: TestApi;
  /** Has the API not hear of its next commit. */
  loseReply: (isLost: boolean) => void;
};

export async function createBase(): Promise<Base> {
  let isReplyLost = false;
  const takeReply = () => {
    const isTaken = isReplyLost;
    isReplyLost = false;
    return isTaken;
  };
  const dialect = sqliteDialect(':memory:');
  const driver = dialect.createDriver();
  await driver.init();
  const db = await openDatabase({
    createDriver: () => faultyDriver(driver, { losesAnswer: takeReply }),
    createAdapter: dialect.createAdapter.bind(dialect),
    createQueryCompiler: dialect.createQueryCompiler.bind(dialect),
    createIntrospector: dialect.createIntrospector.bind(dialect),
  });
  await sql`create table transitions (before text, after text, revision integer, serving integer)`.execute(db);
  await sql`create trigger transition after update of state on deployments when old.state <> new.state
    begin insert into transitions values (old.state, new.state, new.revision, new."servingRevision"); end`.execute(db);
  await sql`insert into accounts ("id", "name", "email", "emailVerified", "createdAt", "updatedAt")
    values ('owner', 'Owner', 'owner@example.com', 1, '', '')`.execute(db);
  const loseReply = (isLost: boolean) => {
    isReplyLost = isLost;
  };
  return { db, driver, api: await unlimitedApi(db), loseReply };
}

/** A client with a cookie is signed in to the only account. */
async function unlimitedApi(db: Kysely<Tables>): Promise<TestApi> {
  const rate = { count: 1e9, windowMs: 60_000 };
  const amounts = { deployments: 1e9, memoryBytes: 2 ** 50, allowsReservations: false, lifetimeMs: null };
  const accounts = {
    methods: async () => ({ password: false, passkeys: false, providers: [], sendsMail: false, signUp: false }),
    answer: async () => new Response(null, { status: 404 }),
    signedIn: async () => ({ accountId: 'owner', signInId: 'sign-in' }),
  };
  return await testApi({ limits, startRate: rate, rate, tiers: [{ name: 'free', ...amounts }] }, () => accounts, db);
}

const emptied = [
  ...(['idempotency', 'claims', 'leases', 'events', 'revisionImages', 'imageAccess', 'revisions'] as const),
  ...(['origins', 'deployments', 'sessions', 'privateRepositories', 'pulledImages'] as const),
];

/** For the next run. */
export async function emptyStore(db: Kysely<Tables>): Promise<void> {
  for (const table of emptied) await db.deleteFrom(table).execute();
  await sql`delete from transitions`.execute(db);
}
