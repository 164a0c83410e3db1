/** A restore of a dump that fails for good, with and without a database that may have loaded a part of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoadedKind } from '../../src/deployment/snapshot/dump.ts';
import type { Exec } from '../../src/engine/exec.ts';
import { volumeKey } from '../../src/engine/memory/deployment-map.ts';
import { createMemoryEngine } from '../../src/engine/memory/memory.ts';
import { requestRestore, restoresOf } from '../../src/store/restores.ts';
import { recordTaken, requestSnapshot, snapshotsOf } from '../../src/store/snapshots.ts';
import { shopOnMemory } from '../support/controlled-deployment.ts';
import { pod, specOf } from '../support/deployments.ts';
import { createMemoryRepository, type MemoryRepository } from '../support/memory-repository.ts';
import { workerOn } from '../support/snapshot-worker.ts';

const volumes = [{ name: 'data', sizeBytes: 1000, mountPath: '/data' }];
const spec = specOf(
  pod('web', { image: 'web:1', path: '/', servicePorts: [80] }),
  pod('db', { image: 'db:1', volumes }),
);

/**
 * Default: an engine without commands in pods, which fails permanently; with `exec`, another attempt may succeed. The
 * previous data has been saved.
 */
async function failToLoad(kind: LoadedKind, { runs = true, exec }: { runs?: boolean; exec?: Exec } = {}) {
  const shop = await shopOnMemory(spec, { 'web:1': {}, 'db:1': {} });
  const { control, world } = shop;
  const { db, now } = control;
  await shop.visit();
  await db.updateTable('deployments').set({ claimedAt: 1, expiresAt: null }).execute();
  const kept: MemoryRepository['kept'] = new Map();
  const engine = createMemoryEngine({ world, now });
  const place = createMemoryRepository(world, async (_name, perform) => perform(), kept);
  const worker = workerOn(control, { engine: { ...engine, exec }, place });
  const files = () => world.volumes.get(volumeKey('shop', 'db-data'))!.files;
  const dumps = [{ pod: 'db', kind, volumes: ['db-data'] }];
  const requested = { deploymentId: 'shop', revision: 1, reason: 'asked', dumps, now: now() } as const;
  const { id } = await requestSnapshot(db, { ...requested, dumps });
  kept.set('dump', { tags: [], volumes: new Map() });
  await recordTaken(db, id, {
    placeId: 'dump',
    takenAt: now(),
    volumes: [],
    totalBytes: 1,
    addedBytes: 1,
    pausedMs: 0,
  });
  files().set('n', 'before');
  if (!runs)
    for (const container of world.containers.values()) if (container.workload.pod === 'db') container.phase = 'exited';
  const restore = await requestRestore(db, { deploymentId: 'shop', snapshotId: id, volumes: [], dumps, now: now() });
  await worker.step();
  // An incomplete load by another client.
  files().set('n', 'a part');
  while (await worker.step());
  await shop.visit();
  return {
    restores: await restoresOf(db, 'shop'),
    failed: restore.id,
    files: files(),
    snapshots: await snapshotsOf(db, 'shop'),
  };
}

test('if a part may have been loaded, the previous files are restored', async () => {
  const { restores, failed, files, snapshots } = await failToLoad('mysql');
  const safety = snapshots.find(({ reason }) => reason === 'before-restore')!;
  const [undone, ...others] = restores.toSorted(
    (a, b) => Number(b.snapshotId === safety.id) - Number(a.snapshotId === safety.id),
  );
  assert.deepEqual([undone!.snapshotId, undone!.state, undone!.volumes], [safety.id, 'done', ['db-data']]);
  assert.deepEqual(
    others.map(({ id, state }) => [id, state]),
    [[failed, 'failed']],
  );
  assert.match(others[0]!.problem!, /runs no commands in pods.* The previous data is being restored from snapshot/);
  assert.equal(files.get('n'), 'before');
});

test('a load that may have left a part is not retried: writes since then would be lost with it', async () => {
  const exec: Exec = {
    async start() {
      throw new Error('The engine does not answer.');
    },
  };
  const { restores, failed, files } = await failToLoad('mysql', { exec });
  const { state, tries, problem } = restores.find(({ id }) => id === failed)!;
  assert.deepEqual([state, tries], ['failed', 1]);
  assert.match(problem!, /^Something went wrong.* The previous data is being restored from snapshot/);
  assert.equal(files.get('n'), 'before');
  const atOnce = await failToLoad('postgres', { exec });
  assert.deepEqual(
    atOnce.restores.map((each) => [each.state, each.tries]),
    [['asked', 1]],
  );
});

test('what changes at once stays as it is', async () => {
  const { restores, files } = await failToLoad('postgres');
  assert.deepEqual(
    restores.map(({ state }) => state),
    ['failed'],
  );
  assert.equal(files.get('n'), 'a part');
});

test('while the database does not run, its files are not kept as the previous ones, because writes continue until the load', async () => {
  const { restores, failed, snapshots } = await failToLoad('mysql', { runs: false });
  assert.deepEqual(
    restores.map(({ id, state, safetyId, problem }) => [id, state, safetyId, problem]),
    [[failed, 'asked', null, 'Pod db does not run now, so its database cannot be dumped.']],
  );
  assert.deepEqual(
    snapshots.map(({ reason }) => reason),
    ['asked'],
  );
});
