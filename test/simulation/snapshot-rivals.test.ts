/** Two processes that both hold themselves for the one that does the work on snapshots. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BackupFault } from '../../src/backup/backup-fault.ts';
import { maxInterrupted, maxTries, type Snapshot } from '../../src/deployment/snapshot/snapshot.ts';
import { volumeKey } from '../../src/engine/memory/deployment-map.ts';
import { createMemoryEngine } from '../../src/engine/memory/memory.ts';
import { failRestore, openRestores, requestRestore, restoresOf } from '../../src/store/restores.ts';
import { markSnapshotsForRemoval, requestSnapshot, snapshotById, snapshotsOf } from '../../src/store/snapshots.ts';
import { shopOnMemory } from '../support/controlled-deployment.ts';
import { pod, specOf } from '../support/deployments.ts';
import { createMemoryRepository, type MemoryRepository } from '../support/memory-repository.ts';
import { workerOn } from '../support/snapshot-worker.ts';

const volumes = [{ name: 'data', sizeBytes: 1000, mountPath: '/data' }];
const spec = specOf(
  pod('db', { image: 'db:1', servicePorts: [5432], volumes }),
  pod('web', { image: 'web:1', path: '/', servicePorts: [80] }),
);

type Faults = { held?: string; broken?: string; busy?: string; asked?: string[] };

async function twoWorkers() {
  const shop = await shopOnMemory(spec, { 'web:1': {}, 'db:1': { program: () => ({ ports: [5432] }) } });
  const { control, world } = shop;
  const { db, now } = control;
  await shop.visit();
  await db.updateTable('deployments').set({ claimedAt: 1, expiresAt: null }).execute();
  const kept: MemoryRepository['kept'] = new Map();
  const reported: string[] = [];

  /** `held`: the call at which it stays until it may go on; `broken`: one that fails; `busy`: what it cannot clear. */
  function worker({ held, broken, busy, asked = [] }: Faults = {}) {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const { promise: released, resolve: release, reject: breakOff } = Promise.withResolvers<void>();
    const stopping = new AbortController();
    const call = async <T>(name: string, perform: () => T): Promise<T> => {
      asked.push(name);
      if (name === broken) throw new BackupFault('restic: no');
      if (name !== held) return perform();
      arrive();
      await released;
      return perform();
    };
    const engine = createMemoryEngine({ world, now, intercept: (requested, perform) => call(requested.name, perform) });
    const copies = engine.copies!;
    const clear = async (key: string) => {
      if (key === busy) throw new Error('umount: target is busy');
      await copies.clear(key);
    };
    const place = createMemoryRepository(world, call, kept);
    const { step } = workerOn(control, {
      engine: { ...engine, copies: { ...copies, clear } },
      place,
      stop: stopping.signal,
      mailOwner: async (_, { text }) => void reported.push(text),
    });
    const stop = () => stopping.abort();
    const end = () => breakOff(new BackupFault('restic: it was ended'));
    return { step, arrived, release, stop, end };
  }

  const files = () => world.volumes.get(volumeKey('shop', 'db-data'))!.files;
  async function askToRestore(): Promise<void> {
    files().set('n', 'old');
    const { id } = await requestSnapshot(db, { deploymentId: 'shop', revision: 1, reason: 'asked', now: now() });
    await worker().step();
    files().set('n', 'new');
    await requestRestore(db, { deploymentId: 'shop', snapshotId: id, volumes: ['db-data'], now: now() });
  }
  const restore = async () => (await restoresOf(db, 'shop'))[0]!;
  return { shop, worker, reported, kept, files, askToRestore, restore };
}

test('a worker that has lost the work does not end a restore that the other has restarted', async () => {
  const { shop, worker, files, askToRestore, restore } = await twoWorkers();
  await askToRestore();
  const [slow, next] = [worker({ held: 'save' }), worker({ held: 'bring' })];
  const slowly = slow.step();
  await slow.arrived;
  const anew = next.step();
  await next.arrived;
  slow.release();
  await slowly;
  assert.equal((await restore()).state, 'asked');
  await shop.visit();
  assert.deepEqual([(await restore()).state, files().get('n')], ['asked', 'new']);
  next.release();
  await anew;
  await shop.visit();
  assert.deepEqual([(await restore()).state, files().get('n')], ['done', 'old']);
  await worker().step();
  assert.equal(shop.world.copies.size, 0);
});

test('a worker that learns of it stops, and that does not count as a try', async () => {
  const { shop, worker, askToRestore, restore } = await twoWorkers();
  await askToRestore();
  const slow = worker({ held: 'bring' });
  const slowly = slow.step();
  await slow.arrived;
  slow.stop();
  slow.release();
  await slowly;
  const { state, tries } = await restore();
  assert.deepEqual([state, tries], ['asked', 0]);
  assert.equal((await snapshotsOf(shop.control.db, 'shop')).length, 1, 'no snapshot was requested before it');
});

test("a copy that a killed process's program still uses does not block the work", async () => {
  const { shop, worker, files, askToRestore, restore } = await twoWorkers();
  await askToRestore();
  const killed = worker({ held: 'bring' });
  void killed.step();
  await killed.arrived;
  const { filledKey } = await restore();
  await worker({ busy: filledKey! }).step();
  killed.stop();
  await shop.visit();
  const { state, tries } = await restore();
  assert.deepEqual([state, tries, files().get('n')], ['done', 2, 'old']);
  assert.equal(shop.world.copies.size, 2, 'what is in use stays');
  await worker().step();
  assert.equal(shop.world.copies.size, 0);
});

test('a snapshot that kills its workers is given up after a number of tries, and its owner is notified', async () => {
  const { shop, worker, reported } = await twoWorkers();
  const { db, now } = shop.control;
  await requestSnapshot(db, { deploymentId: 'shop', revision: 1, reason: 'asked', now: now() });
  for (let begun = 0; begun < maxInterrupted; begun++) {
    const killed = worker({ held: 'save' });
    void killed.step();
    await killed.arrived;
  }
  assert.equal((await snapshotsOf(db, 'shop'))[0]!.state, 'asked');
  await worker().step();
  const [{ state, problem }] = (await snapshotsOf(db, 'shop')) as [Snapshot];
  assert.deepEqual([state, problem], ['failed', 'The service ended 12 times before it was taken.']);
  assert.equal(reported.length, 1);
  assert.match(reported[0]!, /The service ended 12 times/);
});

test('its owner is notified of the second failure, once, even if the service was killed in between', async () => {
  const { shop, worker, reported } = await twoWorkers();
  const { db, now } = shop.control;
  const { id } = await requestSnapshot(db, { deploymentId: 'shop', revision: 1, reason: 'schedule', now: now() });
  const fail = async () => {
    await worker({ broken: 'save' }).step();
    shop.clock.pass(20 * 60_000);
  };
  await fail();
  const killed = worker({ held: 'save' });
  void killed.step();
  await killed.arrived;
  assert.equal(reported.length, 0);
  await fail();
  assert.equal(reported.length, 1);
  await fail();
  const { state, tries } = (await snapshotById(db, id))!;
  assert.deepEqual([state, tries, reported.length], ['failed', 4, 1]);
});

test('of one that fails for good once it was kept, nothing stays at the place', async () => {
  const { shop, worker, kept } = await twoWorkers();
  const { db, now } = shop.control;
  const { id } = await requestSnapshot(db, { deploymentId: 'shop', revision: 1, reason: 'asked', now: now() });
  for (let tries = 0; tries < maxTries; tries++) {
    const requested: string[] = [];
    await worker({ broken: 'check', asked: requested }).step();
    assert.ok(requested.includes('save'));
    shop.clock.pass(20 * 60_000);
  }
  assert.deepEqual([(await snapshotById(db, id))!.state, kept.size], ['failed', 0]);
});

for (const fate of ['killed', 'stopped'])
  test(`what a service that was ${fate} has left of a snapshot before a restore goes with the next try`, async () => {
    const { shop, worker, askToRestore, restore } = await twoWorkers();
    await askToRestore();
    const before = worker({ held: 'save' });
    const stepped = before.step();
    await before.arrived;
    if (fate === 'stopped') {
      before.stop();
      before.end();
      await stepped;
    }
    const requested: string[] = [];
    await worker({ asked: requested }).step();
    await shop.visit();
    assert.equal((await restore()).state, 'done');
    assert.deepEqual(
      requested.filter((name) => name === 'clear' || name === 'save'),
      ['clear', 'save'],
    );
  });

test('the leftovers of an abandoned snapshot are removed from the place with its row', async () => {
  const { shop, worker, askToRestore } = await twoWorkers();
  const { db } = shop.control;
  await askToRestore();
  const killed = worker({ held: 'save' });
  void killed.step();
  await killed.arrived;
  await failRestore(db, (await openRestores(db))[0]!.id, 'Its owner wants another one.', 0);
  const { id } = (await snapshotsOf(db, 'shop')).find(({ state }) => state === 'asked')!;
  await markSnapshotsForRemoval(db, [id]);
  const requested: string[] = [];
  const { step } = worker({ asked: requested });
  while (await step());
  assert.deepEqual(
    requested.filter((name) => name === 'clear' || name === 'drop'),
    ['clear'],
  );
});
