/** What processes on one PostgreSQL hear of each other. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { parsePostgresUrl } from '../../src/lib/postgres-address.ts';
import { wait } from '../../src/lib/wait.ts';
import { addDeployment } from '../../src/store/deployments.ts';
import { intend } from '../../src/store/intents.ts';
import { makeDue } from '../../src/store/leases.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { addSession } from '../../src/store/sessions.ts';
import { write } from '../../src/store/transaction.ts';
import { deploymentOf } from '../support/deployments.ts';
import { startPostgres } from '../support/postgres.ts';

const postgres = await startPostgres();
let [ours, theirs]: [Store?, Store?] = [];
let following: AsyncDisposable;
const heard: string[] = [];

before(async () => {
  await (await postgres.openStore()).destroy();
  const settings = {
    dataDir: '/nowhere',
    databaseUrl: parsePostgresUrl(postgres.url('store')),
    databaseConnections: 2,
  };
  [ours, theirs] = [await openStore(settings), await openStore(settings)];
  assert.equal(ours.owner, theirs.owner);
  await addSession(ours.db, { id: 'session', token: 'token', createdAt: 0 });
  for (const id of ['shop', 'blog']) await addDeployment(ours.db, deploymentOf({ id, label: id, applicationName: id }));
  following = await ours.follow((deploymentId = 'anything') => heard.push(deploymentId));
  await hears('anything');
});
beforeEach(() => heard.splice(0));
after(async () => {
  await following[Symbol.asyncDispose]();
  await ours?.[Symbol.asyncDispose]();
  await theirs?.[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

async function hears(what: string): Promise<void> {
  while (!heard.includes(what)) await wait(5);
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
  assert.deepEqual(heard, ['shop']);
});

test('after a restart of the server others are heard again, and what was missed is looked for', async () => {
  await postgres.stop('restart');
  await postgres.start();
  await hears('anything');
  await makeDue(theirs!.db, 'shop', 0);
  await hears('shop');
});
