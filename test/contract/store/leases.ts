import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Kysely } from 'kysely';
import { addDeployment, writeObservation } from '../../../src/store/deployments.ts';
import {
  acquireLeases,
  atOnce,
  leasedAfter,
  makeDue,
  makeDueIfSettled,
  nextDueAt,
  releaseLease,
  renewLeases,
  settledHashes,
  takeOver,
} from '../../../src/store/leases.ts';
import type { Tables } from '../../../src/store/rows.ts';
import { addSession } from '../../../src/store/sessions.ts';
import { deploymentOf } from '../../support/deployments.ts';
import type { OpenStore } from './store.ts';

export function leasesContract(open: OpenStore, { isShared }: { isShared: boolean }): void {
  let db: Kysely<Tables>;
  const shop = deploymentOf({});
  const observedHash = 'as it was';
  beforeEach(async () => {
    db = await open();
    await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
    await addDeployment(db, shop);
  });
  afterEach(async () => await db.destroy());

  const take = (now: number, limit = 8) => acquireLeases(db, { now, leaseMs: 100, horizonMs: 1_000, limit });

  async function add(...ids: string[]): Promise<void> {
    for (const id of ids) {
      await addDeployment(db, deploymentOf({ id, label: id, applicationName: id }));
      await makeDue(db, id, 0);
    }
  }

  test('of very many leases those still held are renewed', async () => {
    const ids = Array.from({ length: 1_201 }, (_, index) => `many${index}`);
    await db.transaction().execute(async (db) => {
      for (const id of ids) {
        await addDeployment(db, deploymentOf({ id, label: id, applicationName: id }));
        await makeDue(db, id, 0);
      }
    });
    const held = await acquireLeases(db, { now: 0, leaseMs: 100, horizonMs: 1_000, limit: 2_000 });
    assert.ok(held.length >= ids.length);
    await releaseLease(db, held[7]!, { dueAt: null, observedHash: null });
    assert.equal((await renewLeases(db, held, 300)).size, held.length - 1);
  });

  test('a due deployment is leased once, renewed by its holder alone, and due again when released', async () => {
    await makeDue(db, 'shop', 10);
    assert.deepEqual(await take(9), []);
    const [lease] = await take(10);
    assert.deepEqual(await take(50), []);
    assert.deepEqual([...(await renewLeases(db, [lease!], 200))], ['shop']);
    assert.deepEqual([...(await renewLeases(db, [{ ...lease!, token: 'another' }], 200))], []);
    await releaseLease(db, lease!, { dueAt: 300, observedHash });
    assert.equal(await nextDueAt(db), 300);
  });

  test('many are leased at once, the longest due first, and at most as many as requested', async () => {
    await add('a', 'b');
    await makeDue(db, 'shop', -1);
    assert.deepEqual(
      (await take(0, 1)).map(({ deploymentId }) => deploymentId),
      ['shop'],
    );
    const rest = await take(0);
    assert.deepEqual(rest.map(({ deploymentId }) => deploymentId).sort(), ['a', 'b']);
    assert.deepEqual([...(await renewLeases(db, rest, 200))].sort(), ['a', 'b']);
  });

  test('a lease whose holder died is taken over when it has run out, and the dead one writes nothing any more', async () => {
    await makeDue(db, 'shop', 0);
    const [dead] = await take(0);
    assert.equal(await nextDueAt(db), 100, 'the time of the next visit');
    const [heir] = await take(100);
    assert.equal(heir!.deploymentId, 'shop');
    assert.deepEqual([...(await renewLeases(db, [dead!], 500))], []);
    assert.equal(await writeObservation(db, shop, dead!.token, { progress: 50 }), false);
    assert.equal(await writeObservation(db, shop, heir!.token, { progress: 50 }), true);
  });

  test('an intent during a visit makes the deployment due right after it', async () => {
    await makeDue(db, 'shop', 0);
    const [lease] = await take(0);
    await makeDue(db, 'shop', 5);
    await releaseLease(db, lease!, { dueAt: 1_000, observedHash });
    assert.equal(await nextDueAt(db), 5);
  });

  test('a clock that is set back keeps nothing waiting, neither what is due nor what a dead process holds', async () => {
    await makeDue(db, 'shop', 10_900);
    assert.deepEqual(await take(10_000), []);
    assert.equal((await take(5_000)).length, 1, 'later than any planned visit');
    assert.deepEqual(await take(4_950), [], 'a little is not the clock');
    assert.equal((await take(4_000)).length, 1);
  });

  test('requests are due by any clock, also by one that is set back afterwards, and in their order', async () => {
    await add('settled', 'b', 'a');
    for (const lease of await take(0)) await releaseLease(db, lease, { dueAt: 900, observedHash });
    assert.deepEqual(await take(500), []);
    await makeDue(db, 'shop', atOnce(3_000));
    await makeDue(db, 'b', atOnce(3_010));
    await makeDue(db, 'a', atOnce(3_020));
    const taken = async () => (await take(500, 1)).map(({ deploymentId }) => deploymentId);
    assert.deepEqual([await taken(), await taken(), await taken(), await taken()], [['shop'], ['b'], ['a'], []]);
  });

  test('news of the engine makes what is settled due, and neither what is visited nor what backs off', async () => {
    await add('visited', 'failed');
    await makeDue(db, 'shop', 0);
    for (const lease of await take(0)) {
      if (lease.deploymentId === 'shop') await releaseLease(db, lease, { dueAt: 500, observedHash });
      if (lease.deploymentId === 'failed') await releaseLease(db, lease, { dueAt: 500, observedHash: null });
    }
    await makeDueIfSettled(db, ['shop', 'visited', 'failed'], 10);
    assert.deepEqual(
      (await take(10)).map(({ deploymentId }) => deploymentId),
      ['shop'],
    );
  });

  test('the hashes of those that wait for their time are kept for comparison', async () => {
    await add('due', 'failed');
    await makeDue(db, 'shop', 0);
    for (const lease of await take(0)) {
      if (lease.deploymentId === 'shop') await releaseLease(db, lease, { dueAt: 500, observedHash });
      if (lease.deploymentId === 'due') await releaseLease(db, lease, { dueAt: 10, observedHash });
      if (lease.deploymentId === 'failed') await releaseLease(db, lease, { dueAt: 500, observedHash: null });
    }
    assert.deepEqual([...(await settledHashes(db, ['shop', 'due', 'failed'], 10))], [['shop', observedHash]]);
  });

  test('a new process visits everything soon, but not in one wave, and takes over deployments that no other process holds', async () => {
    const ids = Array.from({ length: 300 }, (_, index) => `a${index}`);
    await add(...ids);
    for (const lease of await take(0, 300)) await releaseLease(db, lease, { dueAt: 900, observedHash });
    await makeDue(db, 'shop', 0);
    await take(0);
    let step = 0;
    await takeOver(db, { now: 50, spreadMs: 300, random: () => (step++ % 300) / 300 });
    const waiting = async (now: number) => (await settledHashes(db, [...ids, 'shop'], now)).size;
    assert.deepEqual([await waiting(50), await waiting(199), await waiting(350)], [290, 150, 0]);
    const taken = async (now: number) => (await take(now, 400)).some(({ deploymentId }) => deploymentId === 'shop');
    assert.equal(await taken(50), !isShared, 'what a process held that lives elsewhere, or is dead');
    assert.equal(await taken(100), isShared, 'whose lease has run out');
  });

  test('hashes are returned for any number of given ids, and deployments in the order of their ids', async () => {
    const ids = Array.from({ length: 1_100 }, (_, index) => `a${1_000 + index}`);
    await db.transaction().execute(async (db) => {
      for (const id of ids) {
        await addDeployment(db, deploymentOf({ id, label: id, applicationName: id }));
        await makeDue(db, id, 500);
      }
    });
    await db.updateTable('leases').set({ observedHash }).execute();
    assert.equal((await settledHashes(db, ids.slice(0, 1_050), 10)).size, 1_050);
    assert.deepEqual(await leasedAfter(db, 'a1001', 2), ['a1002', 'a1003']);
    assert.deepEqual(await leasedAfter(db, 'a2098', 5), ['a2099']);
  });
}
