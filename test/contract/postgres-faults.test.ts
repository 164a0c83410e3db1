/** Faults between Berth and PostgreSQL, with a real server that is restarted, full, or unfriendly. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { parsePostgresUrl } from '../../src/lib/postgres-address.ts';
import { wait } from '../../src/lib/wait.ts';
import { openKeys } from '../../src/sealing-keys.ts';
import { openPostgres } from '../../src/store/database.ts';
import { addDeployment, deploymentById, writeIntent } from '../../src/store/deployments.ts';
import type { Tables } from '../../src/store/rows.ts';
import { addSession, sessionOfToken } from '../../src/store/sessions.ts';
import { StoreFault } from '../../src/store/store-fault.ts';
import { write } from '../../src/store/transaction.ts';
import { freePort } from '../free-port.ts';
import { shopYaml, testApi } from '../support/api.ts';
import { makeCertificate } from '../support/certificate.ts';
import { deploymentOf } from '../support/deployments.ts';
import { giveToPostgres, startPostgres } from '../support/postgres.ts';

const password = 'correct horse battery';
const folder = await mkdtemp(join(tmpdir(), 'berth-tls-'));
const files = await makeFiles(folder);
const port = await freePort();
const postgres = await startPostgres({
  port,
  // Clients from the network need the password.
  settings: ['ssl=on', `ssl_cert_file=${files.cert}`, `ssl_key_file=${files.key}`, `hba_file=${files.access}`],
});
after(async () => {
  await postgres[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

let db: Kysely<Tables>;
beforeEach(async () => {
  db = await postgres.openStore();
  await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
});
afterEach(async () => await db.destroy());

/** All connections of the store. */
const cut = () =>
  postgres.ask(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'store' and pid <> pg_backend_pid()`,
  );

test('broken connections are replaced, and readers do not notice', async () => {
  for (let time = 0; time < 3; time++) {
    await cut();
    assert.equal((await sessionOfToken(db, 'token'))?.id, 'session');
  }
});

for (const [how, breakOff] of [
  ['its connection is cut', cut],
  ['the server is restarted', () => restart('restart')],
  ['the server crashes', () => restart('crash')],
] as const)
  test(`a transaction in whose middle ${how} is repeated as a whole`, async () => {
    let times = 0;
    await write(db, 'all', async (db) => {
      times++;
      await addDeployment(db, deploymentOf({ id: `shop${times}`, label: `shop${times}` }));
      if (times === 1) await breakOff();
      await writeIntent(db, `shop${times}`, { state: 'running' });
    });
    assert.equal(times, 2);
    const rows = await db.selectFrom('deployments').select(['id', 'state']).execute();
    assert.deepEqual(
      rows.map(({ id, state }) => `${id} ${state}`),
      ['shop2 running'],
    );
  });

test('a transaction that the database undoes because of others is repeated, and not for ever', async () => {
  await addDeployment(db, deploymentOf({ id: 'shop', label: 'shop' }));
  let times = 0;
  const undoing = (most: number) => async (db: Kysely<Tables>) => {
    times++;
    await writeIntent(db, 'shop', { progress: times });
    if (times <= most) await sql`do $$ begin raise exception 'others' using errcode = '40001'; end $$`.execute(db);
  };
  await write(db, 'all', undoing(3));
  assert.deepEqual([times, (await deploymentById(db, 'shop'))?.progress], [4, 4]);
  times = 0;
  await assert.rejects(write(db, 'all', undoing(100)), isFault('no'));
  assert.equal((await deploymentById(db, 'shop'))?.progress, 4);
});

test('a commit whose answer is lost is not reported as undone, and not repeated', async () => {
  await sql`create function late() returns trigger language plpgsql as $$ begin perform pg_sleep(30); return null; end $$`.execute(
    db,
  );
  await sql`create constraint trigger late after insert on deployments deferrable initially deferred
    for each row execute function late()`.execute(db);
  let times = 0;
  const writing = write(db, 'all', async (db) => {
    times++;
    await addDeployment(db, deploymentOf({ id: 'shop', label: 'shop' }));
  });
  const outcome = assert.rejects(writing, isFault('unknown'));
  for (;;) {
    const waiting = await postgres.ask(
      `select from pg_stat_activity where datname = 'store' and wait_event = 'PgSleep'`,
    );
    if (waiting.length > 0) break;
    await wait(10);
  }
  await cut();
  await outcome;
  assert.equal(times, 1);
  await sql`drop function late cascade`.execute(db);
});

test('while all connections are in use, and while a lock is held, a request fails as busy after a while', async () => {
  const small = await openPostgres({ ...parsePostgresUrl(postgres.url('store')), connections: 2 });
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  const holders = [1, 2].map(() =>
    small.transaction().execute(async (db) => {
      await sql`select 1`.execute(db);
      await isOver;
    }),
  );
  await assert.rejects(sessionOfToken(small, 'token'), isFault('no'));
  resolve();
  await Promise.all(holders);
  assert.equal((await sessionOfToken(small, 'token'))?.id, 'session');
  await write(db, 'all', async () => {
    await assert.rejects(
      write(small, { deploymentId: 'shop' }, async () => {}),
      isFault('no'),
    );
  });
  await small.destroy();
});

test('a service that starts while others keep the database busy waits for its turn, longer than a client', async () => {
  const hasty = { ...parsePostgresUrl(postgres.url('store')), connections: 2, patienceMs: 100 };
  const [starting, asking] = [await openPostgres(hasty), await openPostgres(hasty)];
  const keys = { dataDir: '/nowhere', secretKey: 'a key of 32 characters or more....', oldSecretKey: undefined };
  const opened = await write(db, 'all', async () => {
    const opening = openKeys(starting, keys, { info() {}, error() {} });
    opening.catch(() => {});
    for (let time = 0; time < 5; time++)
      await assert.rejects(
        write(asking, 'all', async () => {}),
        isFault('no'),
      );
    return { opening };
  });
  await opened.opening;
  await starting.destroy();
  await asking.destroy();
});

test('who waits to write everything keeps no connection from those who read', async () => {
  const small = await openPostgres({ ...parsePostgresUrl(postgres.url('store')), connections: 2 });
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const order: number[] = [];
  const first = write(small, 'all', async () => {
    begin();
    await held;
  });
  await begun;
  const others = Array.from({ length: 10 }, (_, number) => write(small, 'all', async () => void order.push(number)));
  assert.equal((await sessionOfToken(small, 'token'))?.id, 'session');
  release();
  await Promise.all([first, ...others]);
  assert.deepEqual(order, [...others.keys()]);
  await small.destroy();
});

test('while the server is away requests are answered 503 with Retry-After, and it is back with it', async () => {
  const api = await testApi({}, undefined, db);
  const token = await api.startShop();
  await postgres.stop('restart');
  const started = await api.postYaml('/startUserDeployment', shopYaml);
  const listed = await api.get(`/getReservations?sessionToken=${token}`);
  for (const { status, headers, body } of [started, listed]) {
    assert.deepEqual([status, headers['retry-after'], body.code], [503, '5', 'store_unreachable']);
    assert.match(body.error, /Nothing was changed/);
  }
  await postgres.start();
  const { body } = await api.get(`/getReservations?sessionToken=${token}`);
  assert.equal(body.reservedDeployments.length, 1);
  assert.equal((await db.selectFrom('deployments').select('id').execute()).length, 1);
  await api.app.close();
});

test('a server that is restarted while requests come leaves nothing half-written, and each is answered what became of it', async () => {
  const api = await testApi({}, undefined, db);
  const restarting = restart('restart');
  const answers = await Promise.all(Array.from({ length: 10 }, () => api.postYaml('/startUserDeployment', shopYaml)));
  await restarting;
  const accepted = answers.filter(({ status }) => status === 200);
  const honest = answers.filter(({ status, body }) => status === 503 && body.code === 'store_unreachable');
  assert.equal(accepted.length + honest.length, 10);
  const rows = await db.selectFrom('deployments').select('id').execute();
  const unknown = honest.filter(({ body }) => /may have been done/.test(body.error)).length;
  assert.ok(rows.length >= accepted.length && rows.length <= accepted.length + unknown);
  for (const table of ['revisions', 'seeds', 'leases', 'events'] as const)
    assert.equal((await db.selectFrom(table).select('deploymentId').execute()).length, rows.length, table);
  await api.app.close();
});

test('TLS verifies the server as far as the URL requires it', async () => {
  await postgres.ask(`alter role berth password '${password}'`);
  const open = async (host: string, query: string) => {
    const url = `postgresql://berth:${encodeURIComponent(password)}@${host}:${port}/store?${query}`;
    const opened = await openPostgres({ ...parsePostgresUrl(url), connections: 2 });
    const { rows } = await sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(
      opened,
    );
    await opened.destroy();
    return rows[0]?.ssl;
  };
  const ca = `sslrootcert=${files.cert}`;
  assert.equal(await open('localhost', `sslmode=verify-full&${ca}`), true);
  assert.equal(await open('127.0.0.1', `sslmode=verify-ca&${ca}`), true);
  assert.equal(await open('127.0.0.1', 'sslmode=require'), true);
  await assert.rejects(open('127.0.0.1', `sslmode=verify-full&${ca}`), /altnames|IP/);
  await assert.rejects(open('localhost', 'sslmode=verify-full'), /self-signed/);
  await assert.rejects(open('localhost', 'sslmode=verify-full&sslrootcert=/nowhere'), /BERTH_DATABASE_URL: ENOENT/);
  await assert.rejects(open('localhost', 'sslmode=disable'), /no encryption|pg_hba/);
});

test('a wrong password, an unknown database and an absent server are reported without the password', async () => {
  const open = (url: string) => openPostgres({ ...parsePostgresUrl(url), connections: 2 });
  const at = `localhost:${port}`;
  const end = `sslmode=require`;
  const wrong = [
    [`postgresql://berth:hunter2@${at}/store?${end}`, /password authentication failed/],
    [`postgresql://berth:${encodeURIComponent(password)}@${at}/nowhere?${end}`, /database "nowhere" does not exist/],
    [`postgresql://berth:hunter2@localhost:1/store`, /ECONNREFUSED/],
  ] as const;
  for (const [url, words] of wrong)
    await assert.rejects(open(url), (error: Error) => {
      assert.match(error.message, words);
      const all = JSON.stringify(error, Object.getOwnPropertyNames(error));
      return !all.includes('hunter2') && !all.includes(password);
    });
});

test('an error contains no row of the table, and a text with a zero byte is kept', async () => {
  await assert.rejects(addSession(db, { id: 'other', token: 'token', createdAt: 0 }), (error: Error) => {
    assert.match(error.message, /duplicate key/);
    return !('detail' in error);
  });
  await addDeployment(db, deploymentOf({ id: 'shop', label: 'shop', applicationName: 'a\0b' }));
  assert.equal((await deploymentById(db, 'shop'))?.applicationName, 'a\uFFFDb');
});

test('two processes that start at once on an empty database make its tables once', async () => {
  await postgres.ask('create database fresh');
  const address = { ...parsePostgresUrl(postgres.url('fresh')), connections: 2 };
  const opened = await Promise.all([1, 2, 3].map(() => openPostgres(address)));
  for (const each of opened) {
    assert.equal((await each.selectFrom('deployments').selectAll().execute()).length, 0);
    await each.destroy();
  }
});

test('a database in another encoding is refused in words', async () => {
  await postgres.ask(`create database latin encoding 'LATIN1' template template0 locale_provider libc locale 'C'`);
  const opening = openPostgres({ ...parsePostgresUrl(postgres.url('latin')), connections: 2 });
  await assert.rejects(opening, /holds LATIN1/);
});

function isFault(wasDone: 'no' | 'unknown') {
  return (error: unknown) => error instanceof StoreFault && error.wasDone === wasDone;
}

async function restart(how: 'restart' | 'crash'): Promise<void> {
  await postgres.stop(how);
  await postgres.start();
}

/** A certificate for `localhost`, which is its own authority, and who is let in how. */
async function makeFiles(folder: string) {
  const { key, cert } = await makeCertificate('DNS:localhost');
  const texts = {
    key,
    cert,
    access: 'local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n',
  };
  const files = { key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem'), access: join(folder, 'access.conf') };
  for (const name of ['key', 'cert', 'access'] as const) await writeFile(files[name], texts[name], { mode: 0o600 });
  // The server reads them as another user, which wants its key for itself.
  await giveToPostgres([folder, ...Object.values(files)]);
  return files;
}
