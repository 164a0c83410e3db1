/** Moving an installation from one database to another and back. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { cancelMove, type Move, type MoveStep, migrateStore } from '../../src/admin/migrate-store.ts';
import { parsePostgresUrl } from '../../src/lib/postgres-address.ts';
import { StartError } from '../../src/lib/start-error.ts';
import { digests, type TableDigest, tableShapes } from '../../src/store/copy-tables.ts';
import { openPostgres, openSqlite } from '../../src/store/database.ts';
import { openStore } from '../../src/store/open.ts';
import { sealedTables } from '../../src/store/reseal.ts';
import type { Tables } from '../../src/store/rows.ts';
import { storeMoveOf } from '../../src/store/store-moves.ts';
import * as terminal from '../accounts/terminal.ts';
import { fillAnyTables } from '../support/any-rows.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

/** More than one batch of any table. */
const rows = 520;

let postgres: TestPostgres;
before(async () => {
  postgres = await startPostgres();
});
after(async () => await postgres[Symbol.asyncDispose]());

let folder: string;
let open: AsyncDisposableStack;
let from: Kysely<Tables>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-move-'));
  open = new AsyncDisposableStack();
  open.defer(() => rm(folder, { recursive: true }));
  from = await sqlite('berth.db');
});
afterEach(async () => await open.disposeAsync());

async function sqlite(name: string): Promise<Kysely<Tables>> {
  const db = await openSqlite(join(folder, name));
  open.defer(() => db.destroy());
  return db;
}

let databases = 0;

async function newDatabase(): Promise<{ db: Kysely<Tables>; url: string }> {
  const name = `moved${++databases}`;
  await postgres.ask(`create database ${name}`);
  const url = postgres.url(name);
  const db = await openPostgres({ ...parsePostgresUrl(url), connections: 2 });
  open.defer(() => db.destroy());
  return { db, url };
}

const places = { from: 'here', to: 'there' };
const move = (from: Kysely<Tables>, to: Kysely<Tables>, reported: Move['report'] = () => {}) =>
  migrateStore({ from, to, places, actor: 'ada', now: 7, report: reported });

/** The contents of every table except the audit log, to which a move adds. */
async function contentOf(db: Kysely<Tables>): Promise<TableDigest[]> {
  const shapes = await tableShapes();
  return await digests(
    db,
    shapes.filter(({ name }) => name !== 'auditEntries'),
  );
}

test('every row of every table is the same in PostgreSQL, and in SQLite again after the way back', async () => {
  await fillAnyTables(from, rows);
  const before = await contentOf(from);
  assert.ok(
    before.every((table) => table.rows === rows),
    'a table without rows proves nothing',
  );
  const { db: to } = await newDatabase();
  const moved = await move(from, to);
  assert.ok(moved.kind === 'moved' && !moved.isContinued, JSON.stringify(moved));
  assert.deepEqual(await contentOf(to), before);
  const installed = await to.selectFrom('installation').select(['id', 'createdAt']).execute();
  assert.deepEqual(
    installed.map(({ id, createdAt }) => [id, createdAt]),
    [['installation', 7]],
  );
  const [sealed, copied] = await Promise.all(
    [from, to].map((db) => db.selectFrom('revisions').select('spec').orderBy('deploymentId').execute()),
  );
  assert.deepEqual(copied?.map(bytesOf), sealed?.map(bytesOf));

  const back = await sqlite('back.db');
  assert.equal((await move(to, back)).kind, 'moved');
  assert.deepEqual(await contentOf(back), before);
  const plain = (db: Kysely<Tables>) => sql`select * from "passkeys" order by "id"`.execute(db);
  assert.deepEqual((await plain(back)).rows, (await plain(from)).rows);
  const entries = await back.selectFrom('auditEntries').selectAll().orderBy('number').execute();
  assert.deepEqual(
    entries.slice(-2).map(({ actor, action }) => `${actor} ${action}`),
    ['ada migrate-store', 'ada migrate-store'],
  );
});

const bytesOf = ({ spec }: { spec: Uint8Array }) => spec.toHex();

class Killed extends Error {}

test('killed at any step, the next call continues, and both sides are the same; neither serves until then', async () => {
  await fillAnyTables(from, 60);
  const before = await contentOf(from);
  const steps = new Map<string, number>();
  for (let killedAt = 1; ; killedAt++) {
    const to = await openSqlite(':memory:');
    open.defer(() => to.destroy());
    let step = 0;
    let last: MoveStep | undefined;
    const killed = await move(from, to, (reported) => {
      last = reported;
      if (++step === killedAt) throw new Killed();
    }).catch((error: Error) => error);
    if (!(killed instanceof Error)) {
      assert.ok(killed.kind === 'moved' && !killed.isContinued, JSON.stringify(killed));
      break;
    }
    assert.ok(killed instanceof Killed, killed.message);
    steps.set(last!.kind, (steps.get(last!.kind) ?? 0) + 1);
    assert.equal((await storeMoveOf(from))?.isDone, false);
    const again = await move(from, to);
    assert.ok(again.kind === 'moved-before' || (again.kind === 'moved' && again.isContinued), JSON.stringify(again));
    assert.deepEqual(await contentOf(to), before);
    assert.deepEqual((await storeMoveOf(to))?.isDone, true);
    assert.deepEqual((await storeMoveOf(from))?.isDone, true);
    assert.equal((await move(from, to)).kind, 'moved-before');
    assert.ok(await cancelMove(from, { actor: 'ada', now: 8 }));
  }
  assert.deepEqual([...steps.keys()], ['marked', 'copied', 'filled', 'compared', 'finished']);
  assert.equal(steps.get('copied'), new Set(before.map(({ name }) => name)).size + extraBatches(before));
});

/** Tables with bytes are copied in three parts here, and the audit log is not among those that are compared. */
const extraBatches = (tables: TableDigest[]) =>
  1 + 2 * tables.filter(({ name }) => sealedTables.some(({ table }) => table === name)).length;

test('a service starts neither on a database that is being left, nor on one that is not full, nor on the one that was left', async () => {
  await fillAnyTables(from, 3);
  const { db: to, url } = await newDatabase();
  const settings = { dataDir: folder, databaseUrl: undefined, databaseConnections: 2 };
  const serveHere = async () => await (await openStore(settings))[Symbol.asyncDispose]();
  const serveThere = async () =>
    await (await openStore({ ...settings, databaseUrl: parsePostgresUrl(url) }))[Symbol.asyncDispose]();
  await assert.rejects(
    move(from, to, ({ kind }) => {
      if (kind === 'filled') throw new Killed();
    }),
    Killed,
  );
  const isStartError = (words: RegExp) => (error: Error) => error instanceof StartError && words.test(error.message);
  await assert.rejects(serveHere, isStartError(/is being moved to there since .*--cancel/));
  await assert.rejects(serveThere, isStartError(/an unfinished copy of here/));
  assert.equal((await move(from, to)).kind, 'moved');
  await assert.rejects(serveHere, isStartError(/was moved to there at .*: use that database/));
  await serveThere();
  await cancelMove(from, { actor: 'ada', now: 8 });
  await serveHere();
});

test('nothing is moved while a service is at work here, and then its start is not in the way of the next call', async () => {
  await fillAnyTables(from, 3);
  const { db: to } = await newDatabase();
  const service = await openSqlite(join(folder, 'berth.db'));
  assert.deepEqual(await move(from, to), { kind: 'refused', because: 'in-use' });
  assert.equal(await storeMoveOf(from), undefined);
  await service.destroy();
  assert.equal((await move(from, to)).kind, 'moved');
});

test('nothing is moved from PostgreSQL while a service is connected to it, from wherever', async () => {
  await fillAnyTables(from, 3);
  const { db: middle, url } = await newDatabase();
  await move(from, middle);
  const settings = { dataDir: folder, databaseUrl: parsePostgresUrl(url), databaseConnections: 2 };
  const to = await sqlite('back.db');
  {
    await using service = await openStore(settings);
    assert.deepEqual(await move(middle, to), { kind: 'refused', because: 'in-use' });
    assert.equal(service.owner, 'installation');
  }
  // The server learns of the end of a connection after its client.
  let moved = await move(middle, to);
  while (moved.kind === 'refused' && moved.because === 'in-use') moved = await move(middle, to);
  assert.equal(moved.kind, 'moved');
});

test('a database with another installation, a state of this one or foreign rows is left as it is', async () => {
  await fillAnyTables(from, 3);
  const another = await sqlite('another.db');
  await another.insertInto('installation').values({ id: 'another', createdAt: 1 }).execute();
  assert.deepEqual(await move(from, another), { kind: 'refused', because: 'target-holds-another' });
  const older = await sqlite('older.db');
  await older.insertInto('installation').values({ id: 'installation', createdAt: 7 }).execute();
  assert.deepEqual(await move(from, older), { kind: 'refused', because: 'target-holds-this' });
  assert.deepEqual(await move(from, from), { kind: 'refused', because: 'target-holds-this' });
  const used = await sqlite('used.db');
  await used.insertInto('bans').values({ kind: 'image', subject: 'x', reason: '', createdAt: 1 }).execute();
  assert.deepEqual(await move(from, used), { kind: 'refused', because: 'target-holds-rows' });
  assert.equal(await storeMoveOf(from), undefined);
  assert.equal((await used.selectFrom('bans').select('subject').executeTakeFirst())?.subject, 'x');
  const empty = await sqlite('empty.db');
  assert.deepEqual(await move(empty, await sqlite('to.db')), { kind: 'refused', because: 'no-installation' });
});

test('what is written here while it is copied is noticed, nothing is given out as whole, and the next call has it', async () => {
  await fillAnyTables(from, 60);
  const { db: to } = await newDatabase();
  const ban = { kind: 'image', subject: '0 before all others', reason: '', createdAt: 1 } as const;
  const moved = await move(from, to, ({ kind }) => {
    if (kind === 'filled') void from.insertInto('bans').values(ban).execute();
  });
  assert.deepEqual(moved, { kind: 'refused', because: 'differs', tables: ['bans'] });
  assert.deepEqual(await to.selectFrom('installation').selectAll().execute(), []);
  assert.equal((await move(from, to)).kind, 'moved');
  assert.deepEqual(await contentOf(to), await contentOf(from));
});

test('of two calls at once the later goes on, and the earlier writes no more', async () => {
  await fillAnyTables(from, 60);
  const to = await sqlite('to.db');
  let second: ReturnType<typeof move> | undefined;
  let rest: Promise<void> | undefined;
  const first = await move(from, to, ({ kind }) => {
    if (kind === 'marked' && !second) second = move(from, to);
    rest ??= second?.then(() => {});
  });
  await rest;
  const kinds = [first, await second!].map((result) => (result.kind === 'refused' ? result.because : result.kind));
  assert.ok(kinds.includes('moved'), JSON.stringify(kinds));
  assert.ok(kinds.includes('overtaken') || kinds.includes('moved-before'), JSON.stringify(kinds));
  assert.deepEqual(await contentOf(to), await contentOf(from));
});

test('a database on which no service was ever started is not moved', async () => {
  const [unused, to] = [await sqlite('unused.db'), await sqlite('new.db')];
  assert.deepEqual(await move(unused, to), { kind: 'refused', because: 'no-installation' });
});

test('the operator moves it from a terminal, sees what to set, and commands on the previous database are refused', async () => {
  await fillAnyTables(from, 60);
  await from.destroy();
  const { url } = await newDatabase();
  const admin = (...words: string[]) => terminal.berthAdmin({ BERTH_DATA_DIR: folder }, ...words);
  const moved = await admin('migrate-store', '--to', url);
  assert.equal(moved.status, 0, moved.stderr);
  assert.match(moved.stdout, /^Moved: \d+ rows of \d+ tables, and both sides are the same\.\nStart the service with/);
  assert.ok(moved.stdout.includes(`BERTH_DATABASE_URL='${url}'`));
  assert.match(moved.stderr, /^revisions: 60 rows copied$/m);
  const after = await admin('bans');
  assert.deepEqual([after.status, after.stdout], [2, '']);
  assert.match(after.stderr, /^This installation was moved to PostgreSQL database/);
  const there = await terminal.berthAdmin({ BERTH_DATA_DIR: folder, BERTH_DATABASE_URL: url }, 'bans', '--json');
  assert.equal(JSON.parse(there.stdout).bans.length, 60);
  const again = await admin('migrate-store', '--to', url, '--json');
  assert.deepEqual([again.status, JSON.parse(again.stdout).kind], [0, 'moved-before']);
  const cancelled = await admin('migrate-store', '--cancel');
  assert.equal(cancelled.status, 0, cancelled.stderr);
  assert.equal((await admin('bans')).status, 0);
});

test('a password among the words of the command is refused without being repeated, and so are options that mean nothing', async () => {
  const admin = (...words: string[]) => terminal.berthAdmin({ BERTH_DATA_DIR: folder }, ...words);
  const shown = await admin('migrate-store', '--to', 'postgresql://me:hunter2@db.example.com/berth');
  assert.equal(shown.status, 1);
  assert.match(shown.stderr, /^--to must have no password: .*PGPASSWORD/);
  assert.ok(!shown.stderr.includes('hunter2'));
  const strange = await admin('bans', '--to', 'x');
  assert.equal(strange.status, 2);
  assert.match(strange.stderr, /^berth admin bans has no option --to/);
  assert.match((await admin('migrate-store')).stderr, /^Name the new store: --to/);
  assert.match((await admin('migrate-store', '--to', 'http://example.com/')).stderr, /^--to must be an address/);
  assert.match((await admin('migrate-store', '--cancel')).stderr, /^There is nothing to cancel/);
  const help = await admin('migrate-store', '--help');
  assert.equal(help.status, 0);
  assert.match(help.stdout, /PGPASSWORD or ~\/\.pgpass/);
});
