import assert from 'node:assert/strict';
import { test } from 'node:test';
import { images, type Shop, shopOnMemory, spec, withWeb } from '../../../test/support/controlled-deployment.ts';
import { findStoredRevision } from '../../store/revisions.ts';

const kept = async ({ control: { db, seal } }: Shop) => {
  const rows = await db.selectFrom('revisions').select(['number', 'spec', 'document']).orderBy('number').execute();
  return rows.map(({ number, spec, document }) => [number, seal.open(spec).length > 0, document.length > 0]);
};

test('revisions that neither serve nor run are forgotten, but for the last', async () => {
  const shop = await shopOnMemory(spec, { ...images, 'bad:1': { exitCode: 3 } });
  await shop.visit();
  for (let times = 0; times < 10; times++) {
    await shop.update(withWeb(times % 2 === 0 ? 'nginx:2' : 'nginx:1'));
    await shop.visit();
  }
  for (let times = 0; times < 10; times++) {
    await shop.update(withWeb('bad:1'));
    await shop.visit();
  }
  const { servingRevision, revision } = await shop.deployment();
  assert.deepEqual([servingRevision, revision], [11, 21]);
  assert.deepEqual(
    (await kept(shop)).map(([number]) => number),
    // The database was never changed.
    [1, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21],
  );
  await shop.update(withWeb('nginx:2'));
  await shop.visit();
  assert.equal((await shop.deployment()).state, 'running');
});

test('of a deployment that is gone no configuration is left', async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  await shop.update(withWeb('nginx:2'));
  await shop.visit();
  await shop.intend({ removedAt: shop.clock.now });
  await shop.visit();
  assert.notEqual((await shop.deployment()).goneAt, null);
  const { db, seal } = shop.control;
  const rows = await db.selectFrom('revisions').select(['number', 'spec', 'document', 'images']).execute();
  assert.deepEqual(
    rows.map(({ number, spec, document }) => [number, seal.open(spec), seal.open(document)]),
    [[2, '', '']],
  );
  assert.equal(await findStoredRevision(db, seal, 'shop', 2), undefined);
});
