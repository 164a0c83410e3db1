import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Kysely } from 'kysely';
import { addDeployment, deploymentById, endAll, writeIntent } from '../../../src/store/deployments.ts';
import { addIdempotency, idempotencyOf } from '../../../src/store/idempotency.ts';
import { endPastLimit } from '../../../src/store/intents.ts';
import type { Tables } from '../../../src/store/rows.ts';
import { addSession } from '../../../src/store/sessions.ts';
import { transact } from '../../../src/store/transaction.ts';
import { deploymentOf } from '../../support/deployments.ts';
import type { OpenStore } from './store.ts';

export function namesContract(open: OpenStore): void {
  let db: Kysely<Tables>;
  beforeEach(async () => {
    db = await open();
    await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
  });
  afterEach(async () => await db.destroy());

  const shop = (id: string, fields: Parameters<typeof deploymentOf>[0] = {}) =>
    deploymentOf({ id, label: id, expiresAt: 1_000, ...fields });

  test('a session has one deployment of a name, until that one has ended, in any way', async () => {
    const endings: ((id: string) => Promise<void>)[] = [
      (id) => writeIntent(db, id, { removedAt: 1 }),
      (id) => writeIntent(db, id, { state: 'expired' }),
      () => endPastLimit(db, { sessionId: 'session', applicationName: 'shop', now: 1_000, graceMs: 0 }),
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

  test('a label belongs to one deployment, of any name and session', async () => {
    await addSession(db, { id: 'other', token: 'other', createdAt: 0 });
    await addDeployment(db, shop('mine'));
    const other = { label: 'mine', applicationName: 'blog', sessionId: 'other' };
    assert.equal(await addDeployment(db, shop('yours', other)), false);
    assert.equal(await deploymentById(db, 'yours'), undefined);
  });

  test('a name does not become free of one that is held, or not at its time limit', async () => {
    await addDeployment(db, shop('held', { heldAt: 1 }));
    await endPastLimit(db, { sessionId: 'session', applicationName: 'shop', now: 1_000, graceMs: 0 });
    assert.equal((await deploymentById(db, 'held'))?.state, 'deploying');
    await writeIntent(db, 'held', { heldAt: null });
    await endPastLimit(db, { sessionId: 'session', applicationName: 'shop', now: 999, graceMs: 0 });
    assert.equal((await deploymentById(db, 'held'))?.state, 'deploying');
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
    await assert.rejects(orphan, /foreign key/i);
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
}
