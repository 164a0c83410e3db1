import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { type Kysely, Migrator, Kysely as Store } from 'kysely';
import { deploymentOf } from '../../test/support/deployments.ts';
import { openDatabase, sqliteDialect, type Tables } from './database.ts';
import { activeDeployments, addDeployment, deploymentById, endAll, writeIntent } from './deployments.ts';
import { addIdempotency, idempotencyOf } from './idempotency.ts';
import { endPastLimit } from './intents.ts';
import { migrations } from './migrations/index.ts';
import { addSession } from './sessions.ts';
import { transact } from './transaction.ts';

let db: Kysely<Tables>;
beforeEach(async () => {
  db = await openDatabase(sqliteDialect(':memory:'));
  await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
});

const shop = (id: string, fields: Parameters<typeof deploymentOf>[0] = {}) =>
  deploymentOf({ id, label: id, expiresAt: 1_000, ...fields });

test('a session has one deployment of a name, until that one has ended, in whatever way', async () => {
  const endings: ((id: string) => Promise<void>)[] = [
    (id) => writeIntent(db, id, { removedAt: 1 }),
    (id) => writeIntent(db, id, { state: 'expired' }),
    () => endPastLimit(db, { sessionId: 'session', applicationName: 'shop', now: 1_000 }),
    () => endAll(db, 1),
  ];
  for (const [number, end] of endings.entries()) {
    const id = `shop${number}`;
    assert.equal(await addDeployment(db, shop(id)), true, `nothing is left of the one before ${id}`);
    assert.equal(await addDeployment(db, shop(`${id}-again`)), false);
    await end(id);
  }
  assert.equal(await addDeployment(db, shop('last')), true);
});

test('of one name there may be many, in sessions of their own', async () => {
  await addSession(db, { id: 'other', token: 'other', createdAt: 0 });
  assert.equal(await addDeployment(db, shop('mine')), true);
  assert.equal(await addDeployment(db, shop('yours', { sessionId: 'other' })), true);
});

test('a name does not become free of one that is held, or not at its time limit', async () => {
  await addDeployment(db, shop('held', { heldAt: 1 }));
  await endPastLimit(db, { sessionId: 'session', applicationName: 'shop', now: 1_000 });
  assert.equal((await deploymentById(db, 'held'))?.state, 'deploying');
  await writeIntent(db, 'held', { heldAt: null });
  await endPastLimit(db, { sessionId: 'session', applicationName: 'shop', now: 999 });
  assert.equal((await deploymentById(db, 'held'))?.state, 'deploying');
});

test('two active deployments of one name in one session come over from an older database, and a third is refused', async () => {
  const before = new Store<Tables>({ dialect: sqliteDialect(':memory:') });
  const migrator = new Migrator({ db: before, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateTo('0011-hashed-sign-ins');
  assert.equal(error, undefined);
  const rows = [
    shop('first', { createdAt: 1 }),
    shop('second', { createdAt: 2 }),
    shop('ended', { createdAt: 3, state: 'expired' }),
    shop('removed', { createdAt: 4, removedAt: 5 }),
    shop('another', { createdAt: 1, applicationName: 'another' }),
  ];
  // The columns as they were then.
  const then = before as unknown as Kysely<{ deployments: Record<string, unknown>; sessions: Record<string, unknown> }>;
  await then.insertInto('sessions').values({ id: 'session', tokenHash: 'hash', createdAt: 0 }).execute();
  for (const { pods: _, lastLines: __, endpoints: ___, explanation: ____, ...fields } of rows) {
    await then
      .insertInto('deployments')
      .values({ ...fields, message: '', pods: '[]', lastLines: '[]', endpoints: '[]' })
      .execute();
  }
  const answer = { keyHash: 'key', bodyHash: 'body', deploymentId: 'first', sessionToken: new Uint8Array([1, 2]) };
  await before
    .insertInto('idempotency')
    .values({ ...answer, expiresAt: 100 })
    .execute();

  const latest = await migrator.migrateToLatest();
  assert.equal(latest.error, undefined);
  const active = async () => (await activeDeployments(before, 'session', 0)).map(({ id }) => id);
  assert.deepEqual(await active(), ['another', 'first', 'second']);
  assert.deepEqual(await deploymentById(before, 'first'), rows[0]);
  assert.deepEqual({ ...(await idempotencyOf(before, 'key', 0)) }, { ...answer, expiresAt: 100 });
  assert.equal(await addDeployment(before, shop('third')), false);
  // Each of them can be updated and ended as before.
  await writeIntent(before, 'first', { state: 'running' });
  await writeIntent(before, 'first', { removedAt: 9 });
  await writeIntent(before, 'second', { removedAt: 9 });
  assert.equal(await addDeployment(before, shop('third')), true);
});

test('an answer is remembered before its deployment is there, in one transaction; one without any is not', async () => {
  const answer = { keyHash: 'key', bodyHash: 'body', sessionToken: new Uint8Array([1]), expiresAt: 100 };
  await db.transaction().execute(async (db) => {
    assert.equal(await addIdempotency(db, { ...answer, deploymentId: 'mine' }, 0), true);
    await addDeployment(db, shop('mine'));
  });
  assert.equal((await idempotencyOf(db, 'key', 0))?.deploymentId, 'mine');
  const orphan = db
    .transaction()
    .execute((db) => addIdempotency(db, { ...answer, keyHash: 'other', deploymentId: 'nothing' }, 0));
  await assert.rejects(orphan, /FOREIGN KEY/);
});

test('the answer to a key is not replaced before it has expired', async () => {
  await addDeployment(db, shop('mine'));
  const answer = { keyHash: 'key', bodyHash: 'body', deploymentId: 'mine', sessionToken: new Uint8Array([1]) };
  assert.equal(await addIdempotency(db, { ...answer, expiresAt: 100 }, 0), true);
  assert.equal(await addIdempotency(db, { ...answer, bodyHash: 'later', expiresAt: 200 }, 99), false);
  assert.equal((await idempotencyOf(db, 'key', 0))?.bodyHash, 'body');
  assert.equal(await addIdempotency(db, { ...answer, bodyHash: 'later', expiresAt: 200 }, 100), true);
  assert.equal((await idempotencyOf(db, 'key', 100))?.bodyHash, 'later');
});

test('a refusal undoes what its transaction has written, and a fault is thrown on', async () => {
  const problem = { code: 'application_exists', error: 'It is there.' } as const;
  const refused = await transact(db, async (db) => {
    await addDeployment(db, shop('mine'));
    return { ok: false, problem };
  });
  assert.deepEqual(refused, { ok: false, problem });
  const faulty = transact(db, async (db) => {
    await addDeployment(db, shop('mine'));
    throw new Error('no disk');
  });
  await assert.rejects(faulty, /no disk/);
  assert.equal(await deploymentById(db, 'mine'), undefined);
});
