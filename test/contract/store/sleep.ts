import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Kysely } from 'kysely';
import { sealWith } from '../../../src/lib/seal.ts';
import { committedInAll, committedToAll } from '../../../src/store/commitments.ts';
import { addDeployment, deploymentById, writeIntent } from '../../../src/store/deployments.ts';
import { addRevision } from '../../../src/store/revisions.ts';
import type { Tables } from '../../../src/store/rows.ts';
import { addSession } from '../../../src/store/sessions.ts';
import { recordResident, recordUse, wakeDeployment } from '../../../src/store/sleep.ts';
import { deploymentOf, pod, specOf } from '../../support/deployments.ts';
import type { OpenStore } from './store.ts';

const minute = 60_000;

export function sleepContract(open: OpenStore): void {
  let db: Kysely<Tables>;
  beforeEach(async () => {
    db = await open();
    await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
  });
  afterEach(async () => await db.destroy());

  const add = async (fields: Parameters<typeof deploymentOf>[0]) => {
    await addDeployment(db, deploymentOf({ id: 'shop', label: 'shop', ...fields }));
    const spec = specOf(pod('web', { image: 'nginx:1', path: '/' }));
    const revision = { number: 1, spec, document: '', createdAt: 0, askedBy: 'session' } as const;
    await addRevision(db, sealWith('tests'), 'shop', revision);
  };
  const activeAt = async () => (await deploymentById(db, 'shop'))!.activeAt;

  test('use is recorded to the minute', async () => {
    await add({});
    for (const [now, expected] of [
      [minute, minute],
      [2 * minute, minute],
      [2 * minute + 1, 2 * minute + 1],
    ] as const) {
      await recordUse(db, ['shop', 'unknown'], now);
      assert.equal(await activeAt(), expected);
    }
  });

  test('a deployment is woken up once, and no longer sleeps after a change of its workloads', async () => {
    await add({ sleep: 'frozen', asleepAt: 1 });
    const { generation } = (await deploymentById(db, 'shop'))!;
    assert.deepEqual([await wakeDeployment(db, 'shop', 5), await wakeDeployment(db, 'shop', 6)], [true, false]);
    const woken = (await deploymentById(db, 'shop'))!;
    assert.deepEqual(
      [woken.sleep, woken.wakeRequestedAt, woken.activeAt, woken.generation],
      [null, 5, 5, generation + 1],
    );
    await db.updateTable('deployments').set({ sleep: 'frozen' }).execute();
    await writeIntent(db, 'shop', { expiresAt: 1_000 });
    assert.equal((await deploymentById(db, 'shop'))!.sleep, 'frozen');
    await writeIntent(db, 'shop', { restarts: '{"web":1}' });
    const { sleep, wakeRequestedAt } = (await deploymentById(db, 'shop'))!;
    assert.deepEqual([sleep, wakeRequestedAt], [null, null]);
  });

  test('a deployment that sleeps leaves its processors, and the memory that it does not use, to others', async () => {
    await add({});
    const sums = async () => [await committedInAll(db), await committedToAll(db, ['shop'])] as const;
    const [awake] = await sums();
    const use = { pod: 'web', revision: 1, replica: 0, startedAt: 0, cpuMs: 0, receivedBytes: 0, sentBytes: 0 };
    const uses = [10, 5].map((memoryBytes) => ({ ...use, deploymentId: 'shop', memoryBytes }));
    await recordResident(db, uses);
    assert.deepEqual(await sums(), [awake, awake]);
    await db.updateTable('deployments').set({ sleep: 'frozen' }).execute();
    const frozen = { ...awake, cpuMillis: 0 };
    assert.deepEqual(await sums(), [frozen, awake]);
    await recordResident(db, undefined);
    for (const _ of ['once', 'again']) await recordResident(db, uses);
    assert.deepEqual(await sums(), [{ ...frozen, memoryBytes: 15 }, awake]);
    await db.updateTable('deployments').set({ sleep: 'stopped' }).execute();
    assert.deepEqual(await sums(), [{ ...frozen, memoryBytes: 0 }, awake]);
    await wakeDeployment(db, 'shop', 5);
    assert.deepEqual(await sums(), [awake, awake]);
  });
}
