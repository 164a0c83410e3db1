/** Notifications between processes on one PostgreSQL. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { parsePostgresUrl } from '../../src/lib/postgres-address.ts';
import { wait } from '../../src/lib/wait.ts';
import { openKeys } from '../../src/sealing-keys.ts';
import { addDeployment } from '../../src/store/deployments.ts';
import { acquireDuty, releaseDuties, releaseHeldBy } from '../../src/store/duties.ts';
import { addEvents, addingFirstEvent } from '../../src/store/events.ts';
import { intend } from '../../src/store/intents.ts';
import { acquireLeases, makeDue, makingDue } from '../../src/store/leases.ts';
import { notifyAll } from '../../src/store/notify-processes.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { addSession } from '../../src/store/sessions.ts';
import { deleteSpentProofs, spendProof } from '../../src/store/spent-proofs.ts';
import { write } from '../../src/store/transaction.ts';
import { writeAll } from '../../src/store/write-all.ts';
import { deploymentOf } from '../support/deployments.ts';
import { startPostgres } from '../support/postgres.ts';

const postgres = await startPostgres();
const settings = {
  dataDir: '/nowhere',
  databaseUrl: parsePostgresUrl(postgres.url('store')),
  databaseConnections: 2,
};
let [ours, theirs]: [Store?, Store?] = [];
let following: AsyncDisposable;
const received: string[] = [];

before(async () => {
  await (await postgres.openStore()).destroy();
  await postgres.ask('create database alone');
  [ours, theirs] = [await openStore(settings), await openStore(settings)];
  assert.equal(ours.owner, theirs.owner);
  await addSession(ours.db, { id: 'session', token: 'token', createdAt: 0 });
  for (const id of ['shop', 'blog']) await addDeployment(ours.db, deploymentOf({ id, label: id, applicationName: id }));
  following = await ours.follow({
    due: (deploymentId = 'anything') => received.push(deploymentId),
    events: (deploymentId) => received.push(`an event of ${deploymentId}`),
    routes: () => received.push('routes'),
    edges: () => received.push('edges'),
    counts: (text) => received.push(text),
    onProcessEnd: (processId) => received.push(`${processId} has gone`),
  });
  await hears('anything');
});
beforeEach(() => received.splice(0));
after(async () => {
  await following[Symbol.asyncDispose]();
  await ours?.[Symbol.asyncDispose]();
  await theirs?.[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

async function hears(what: string): Promise<void> {
  while (!received.includes(what)) await wait(5);
}

test('an intent of another process is heard of when it is committed, and one of this process is not', async () => {
  const event = { kind: 'intent', intent: 'extend' } as const;
  await makeDue(ours!.db, 'blog', 0);
  const undone = write(theirs!.db, { deploymentId: 'blog' }, async (db) => {
    await intend(db, 'blog', {}, { event, now: 1 });
    throw new Error('undone');
  });
  await assert.rejects(undone, /undone/);
  await write(theirs!.db, { deploymentId: 'shop' }, (db) => intend(db, 'shop', {}, { event, now: 1 }));
  await hears('shop');
  assert.deepEqual(received.toSorted(), ['an event of shop', 'shop']);
});

test('an event reaches followers in any process, and request counts of clients reach the others', async () => {
  await write(ours!.db, { deploymentId: 'shop' }, (db) =>
    addEvents(db, 'shop', [{ at: 2, event: { kind: 'intent', intent: 'extend' } }]),
  );
  await notifyAll(ours!.db, 'counts', 'by us');
  await notifyAll(theirs!.db, 'counts', 'by a client');
  await hears('by a client');
  assert.deepEqual(received, ['an event of shop', 'by a client']);
});

test('what is written together by another process is heard of as if it were written alone', async () => {
  const event = { kind: 'intent', intent: 'start', revision: 1 } as const;
  await write(theirs!.db, 'all', async (db) => {
    await addDeployment(db, deploymentOf({ id: 'wiki', label: 'wiki', applicationName: 'wiki' }));
    await writeAll(db, [addingFirstEvent(db, 'wiki', { at: 1, event }), makingDue(db, 'wiki', 1)]);
  });
  await hears('wiki');
  assert.deepEqual(received.toSorted(), ['an event of wiki', 'wiki']);
});

test('a duty is of one process until that leaves it or does not come back in time', async () => {
  const duty = { name: 'tidy', holder: 'ours', now: 0, forMs: 100 };
  const other = { ...duty, holder: 'theirs' };
  assert.deepEqual(
    [await acquireDuty(ours!.db, duty), await acquireDuty(theirs!.db, { ...other, now: 99 })],
    [true, false],
  );
  assert.equal(await acquireDuty(ours!.db, { ...duty, now: 99 }), true, 'it is kept');
  assert.equal(await acquireDuty(theirs!.db, { ...other, now: 198 }), false);
  assert.equal(await acquireDuty(theirs!.db, { ...other, now: 199 }), true, 'it has run out');
  assert.equal(await acquireDuty(ours!.db, { ...duty, now: 200 }), false);
  await releaseDuties(theirs!.db, 'theirs');
  assert.equal(await acquireDuty(ours!.db, { ...duty, now: 201 }), true, 'it was left');
  assert.equal(await acquireDuty(theirs!.db, { ...other, now: -100 }), true, 'the clock was set back');
});

test('what a process held is free within seconds when it was killed, and not when it stands still', async (t) => {
  const gone: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const hear = {
    due() {},
    events() {},
    routes() {},
    edges() {},
    counts() {},
    onProcessEnd: (id: string) => resolve(void gone.push(id)),
  };
  await using looking = await openStore(settings);
  await using _ = await looking.follow(hear);
  await looking.db.deleteFrom('leases').execute();
  await looking.db.deleteFrom('duties').execute();
  const [still, killed] = await Promise.all(
    ['shop', 'blog'].map(async (deploymentId) => {
      const holder = fork(join(import.meta.dirname, 'lease-holder.ts'), [postgres.url('store'), deploymentId]);
      t.after(() => holder.kill('SIGKILL'));
      const [id] = (await once(holder, 'message')) as [string];
      return { holder, id };
    }),
  );
  still!.holder.kill('SIGSTOP');
  killed!.holder.kill('SIGKILL');
  await promise;
  assert.deepEqual(gone, [killed!.id]);
  const takes = (name: string) => acquireDuty(looking.db, { name, holder: 'another', now: 100, forMs: 1e9 });
  assert.deepEqual([await takes('of blog'), await takes('of shop')], [false, false]);
  await releaseHeldBy(looking.db, killed!.id, 100);
  assert.deepEqual([await takes('of blog'), await takes('of shop')], [true, false], 'duties are free with the leases');
  const taken = await acquireLeases(looking.db, { now: 100, leaseMs: 1e9, horizonMs: 1e12, limit: 8 });
  assert.deepEqual(
    taken.map(({ deploymentId }) => deploymentId),
    ['blog'],
  );
});

test('of processes that are shown one proof of work at once, one takes it', async () => {
  const shown = await Promise.all([ours!, theirs!, ours!, theirs!].map(({ db }) => spendProof(db, 'signature', 100)));
  assert.deepEqual(shown.toSorted(), [false, false, false, true]);
  await deleteSpentProofs(ours!.db, 100);
  assert.equal(await spendProof(theirs!.db, 'signature', 200), true, 'what has expired is forgotten');
});

test('a process with another key is refused next to a living one, and not when it is alone', async () => {
  const log = { info() {}, error() {} };
  const keysOf = (secretKey: string) => ({ dataDir: '/nowhere', secretKey, oldSecretKey: undefined });
  const one = keysOf('one key of 32 characters or more..');
  await openKeys(ours!.db, one, log);
  await openKeys(theirs!.db, one, log);
  const another = keysOf('another key of 32 characters or more');
  await assert.rejects(openKeys(theirs!.db, another, log), /works on this database with another key/);
  await using alone = await openStore({ ...settings, databaseUrl: parsePostgresUrl(postgres.url('alone')) });
  await openKeys(alone.db, one, log);
  await openKeys(alone.db, another, log);
});

test('after a restart of the server others are heard again, and what was missed is looked for', async () => {
  await postgres.stop('restart');
  await postgres.start();
  await hears('anything');
  await makeDue(theirs!.db, 'shop', 0);
  await hears('shop');
});
