import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Kysely } from 'kysely';
import { sealWith } from '../../../src/lib/seal.ts';
import {
  activeDeployments,
  addDeployment,
  deleteRemovedDeployments,
  deploymentById,
  writeIntent,
  writeObservation,
} from '../../../src/store/deployments.ts';
import { addEvents, eventsAfter } from '../../../src/store/events.ts';
import { acquireLeases, makeDue, nextDueAt } from '../../../src/store/leases.ts';
import { addRevision, revisionOf } from '../../../src/store/revisions.ts';
import type { Tables } from '../../../src/store/rows.ts';
import { addSession, deleteEmptySessions, sessionOfToken } from '../../../src/store/sessions.ts';
import { deploymentOf, pod, specOf } from '../../support/deployments.ts';
import type { OpenStore } from './store.ts';

export function deploymentsContract(open: OpenStore): void {
  let db: Kysely<Tables>;
  const shop = deploymentOf({ expiresAt: 1_000 });
  beforeEach(async () => {
    db = await open();
    await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
    await addDeployment(db, shop);
  });
  afterEach(async () => await db.destroy());

  test('a deployment is read as it was written', async () => {
    assert.deepEqual(await deploymentById(db, 'shop'), shop);
  });

  test('an expired, a removed and a held deployment are active as the lifecycle says', async () => {
    const names = async (now: number) => (await activeDeployments(db, 'session', now)).length;
    assert.equal(await names(999), 1);
    assert.equal(await names(1_000), 0);
    await writeIntent(db, 'shop', { heldAt: 1 });
    assert.equal(await names(1_000), 1);
    await writeIntent(db, 'shop', { state: 'expired' });
    assert.equal(await names(999), 0, 'ended, even if the clock is set back');
    await writeIntent(db, 'shop', { state: 'running', removedAt: 2 });
    assert.equal(await names(999), 0);
  });

  test('an observation of an older generation is not written', async () => {
    await makeDue(db, 'shop', 0);
    const [lease] = await acquireLeases(db, { now: 0, leaseMs: 100, horizonMs: 1_000, limit: 8 });
    await writeIntent(db, 'shop', { revision: 2 });
    assert.equal(await writeObservation(db, shop, lease!.token, { state: 'running' }), false);
    assert.equal((await deploymentById(db, 'shop'))?.state, 'deploying');
  });

  test('a revision is stored sealed and opens to the same spec', async () => {
    const spec = specOf(pod('web', { vars: { PASSWORD: 'hunter2' } }));
    await addRevision(db, sealWith('k'), 'shop', {
      number: 1,
      spec,
      document: 'text',
      createdAt: 0,
      askedBy: 'session',
    });
    const row = await db.selectFrom('revisions').selectAll().executeTakeFirstOrThrow();
    assert.ok(!Buffer.from(row.spec).includes('hunter2'));
    assert.deepEqual(await revisionOf(db, sealWith('k'), 'shop', 1), { number: 1, spec, images: {} });
  });

  test('forgetting a deployment that is gone takes its revisions, events and lease with it', async () => {
    await addEvents(db, 'shop', [{ at: 7, event: { kind: 'progress', progress: 1 } }]);
    await makeDue(db, 'shop', 0);
    await db.updateTable('deployments').set({ goneAt: 10 }).execute();
    await deleteRemovedDeployments(db, 10);
    assert.ok(await deploymentById(db, 'shop'));
    await deleteRemovedDeployments(db, 11);
    assert.equal(await deploymentById(db, 'shop'), undefined);
    assert.deepEqual(await eventsAfter(db, 'shop', 0, 100), []);
    assert.equal(await nextDueAt(db), undefined);
  });

  test('a session is forgotten with the last of its deployments, and with it where its token was used from', async () => {
    await deleteEmptySessions(db, 1);
    assert.ok(await sessionOfToken(db, 'token'));
    await db.deleteFrom('deployments').execute();
    await deleteEmptySessions(db, 0);
    assert.ok(await sessionOfToken(db, 'token'), 'one that was made just now');
    await deleteEmptySessions(db, 1);
    assert.equal(await sessionOfToken(db, 'token'), undefined);
  });
}
