import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manyDeployments } from '../../test/support/many-deployments.ts';
import { createTestEngine } from '../../test/support/memory-engine.ts';
import { watchQueries } from '../../test/support/queries.ts';
import { hashListed } from '../deployment/workload/workload.ts';
import type { Owned } from '../engine/engine.ts';
import { createMetrics } from '../lib/metrics.ts';
import type { Control } from './control.ts';
import { createTidying } from './loop.ts';

const networkOf = (deploymentId: string): Owned => ({
  kind: 'network',
  id: deploymentId,
  name: deploymentId,
  deploymentId,
});
const settings = { graceMs: 0 } as Control['settings'];
const observedHash = hashListed([networkOf('any')]);

/** Creates this many settled deployments with a network each. The engine lists the given objects. */
async function manySettled(count: number) {
  const { db, ids } = await manyDeployments(count, 1_000);
  await db.updateTable('leases').set({ observedHash }).execute();
  const owned = new Map(ids.map((id) => [id, networkOf(id)]));
  const { watched, queries } = watchQueries(db);
  const removed: string[] = [];
  const engine = {
    ...createTestEngine(),
    listOwned: async () => [...owned.values()],
    removeOwned: async ({ id }: Pick<Owned, 'id'>) => void removed.push(id),
  };
  const tidying = createTidying({ db: watched, engine, metrics: createMetrics(), now: () => 0, settings });
  return {
    db,
    ids,
    owned,
    engine,
    removed,
    tidying,
    /** Ids of those that are due now, and how many rows were read. */
    async tidy() {
      queries.length = 0;
      const { changed } = await tidying.tidy();
      return { changed, rows: queries.reduce((sum, { rows }) => sum + rows, 0) };
    },
  };
}

test('of deployments of which the same is listed as before, nothing is read but of a part in turn', async () => {
  const { tidy } = await manySettled(2_000);
  assert.ok((await tidy()).rows >= 2 * 2_000, 'the first time all');
  // The row changes its turn and its hash.
  assert.deepEqual(await tidy(), { changed: [], rows: 3 * 500 });
});

test('a deployment whose resources change, come or go is visited, at any turn', async () => {
  const { tidy, owned } = await manySettled(2_000);
  await tidy();
  owned.set('d1700', { ...networkOf('d1700'), kind: 'volume', volume: 'data' });
  owned.delete('d1800');
  const { changed, rows } = await tidy();
  assert.deepEqual(changed, ['d1700', 'd1800']);
  assert.equal(rows, 3 * 500 + 2 + 1);
});

test('who was visited since is looked at again: what its visit wrote may be older than the last listing', async () => {
  const { tidy, tidying, db } = await manySettled(2_000);
  await tidy();
  await db
    .updateTable('leases')
    .set({ observedHash: 'another' })
    .where('deploymentId', 'in', ['d1700', 'd1800'])
    .execute();
  tidying.visited('d1700');
  assert.deepEqual((await tidy()).changed, ['d1700']);
  const later = [await tidy(), await tidy(), await tidy()].flatMap(({ changed }) => changed);
  assert.deepEqual(later, ['d1800'], 'the others have their turn');
});

test('when the store fails, the whole listing is checked the next time', async () => {
  const { tidy, owned, tidying, engine, db } = await manySettled(2_000);
  await tidy();
  owned.delete('d1800');
  owned.set('d0001', { ...networkOf('d0001'), name: 'another' });
  await db.updateTable('deployments').set({ goneAt: 1 }).where('id', '=', 'd0001').execute();
  const { removeOwned } = engine;
  engine.removeOwned = async () => {
    throw new Error('not now');
  };
  await assert.rejects(tidying.tidy(), /not now/);
  owned.set('d1800', { ...networkOf('d1800'), kind: 'volume' });
  engine.removeOwned = removeOwned;
  assert.ok((await tidy()).rows >= 2 * 2_000);
});

test('an orphan that stays although it was removed is removed again', async () => {
  const { tidy, owned, removed, db } = await manySettled(600);
  await db.updateTable('deployments').set({ goneAt: 1 }).where('id', '=', 'd0001').execute();
  await tidy();
  removed.length = 0;
  for (const _ of ['once', 'twice', 'three times']) await tidy();
  assert.deepEqual(removed, ['d0001', 'd0001', 'd0001']);
  assert.ok(owned.has('d0001'));
});
