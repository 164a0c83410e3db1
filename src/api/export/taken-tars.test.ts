import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { setImmediate as others } from 'node:timers/promises';
import { type TestApi, testApi } from '../../../test/support/api.ts';
import { exportShop, startShop } from '../../../test/support/exported-shop.ts';
import { createTestEngine } from '../../../test/support/memory-engine.ts';
import { EngineFault } from '../../engine/engine.ts';
import type { Interceptor } from '../../engine/memory/memory-call.ts';
import { heldCopies } from '../../store/copy-holds.ts';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
});
afterEach(async () => {
  await api.app.close();
  await api.service.db.destroy();
});

/** Simulates an engine with many hosts. */
function onManyHosts(given: Interceptor = async (_, perform) => perform()) {
  const engine = createTestEngine({ world: api.world, copiesAs: 'tars', intercept: given });
  delete engine.archives;
  api.service.engine = engine;
  return engine.copies!;
}

test('if the data is not on a local disk, a copy is read, is protected from clean-up, and leaves nothing behind', async () => {
  const { token } = await startShop(api);
  const { db, now } = api.service;
  const held: string[] = [];
  const copies = onManyHosts(async ({ name }, perform) => {
    if (name === 'copies.read') held.push(...(await heldCopies(db, now())));
    return perform();
  });
  const files = await exportShop(api, token);
  assert.match(files.get('shop/README.md')!.toString(), /^The data is of one instant,/m);
  const tar = files.get('shop/volumes/db-data.tar')!.toString();
  assert.deepEqual(JSON.parse(tar), [['base/1', 'every row']]);
  assert.match(files.get('shop/start-kubernetes.sh')!.toString(), /volumes\/db-data\.tar/);
  assert.equal(held.length, 1);
  while ((await heldCopies(db, now())).size > 0) await others();
  assert.deepEqual(await copies.list(), []);
});

test('of volumes that storage has taken each by itself, the export says so', async () => {
  const { token } = await startShop(api);
  const copies = onManyHosts();
  api.service.engine.copies = {
    ...copies,
    take: async (...requested) => ({ ...(await copies.take(...requested)), areApart: true }),
  };
  const files = await exportShop(api, token);
  assert.match(
    files.get('shop/README.md')!.toString(),
    /^The data of each volume is of one instant,.* a little apart\.$/m,
  );
});

test('if that copy fails or is incomplete, this is reported, or the tar is broken', async () => {
  const { token } = await startShop(api);
  const url = '/exportDeployment?applicationName=shop';
  let failing = 'copies.take';
  const copies = onManyHosts(async ({ name }, perform) => {
    const cause = new Error('load-1 is running');
    if (name === failing) throw new EngineFault('unavailable', 'The job load is at work on the volumes.', { cause });
    return perform();
  });
  const answer = await api.get(url, { authorization: `Bearer ${token}` });
  assert.deepEqual([answer.status, answer.body.code], [503, 'capacity_exhausted']);
  assert.match(answer.body.error, /The job load is at work/);
  assert.match(answer.body.hint, /volumes=false/);
  assert.match(api.lines.join(''), /load-1 is running/);
  assert.deepEqual(await copies.list(), []);
  failing = 'copies.read';
  await assert.rejects(exportShop(api, token));
  while ((await copies.list()).length > 0) await others();
});

test('a cluster that goes away while a copy is made is said to be away, also where the copy cannot be cleared', async () => {
  const { token } = await startShop(api);
  onManyHosts(async ({ name }, perform) => {
    if (name === 'copies.take' || name === 'copies.clear') throw new EngineFault('unavailable', 'The cluster is away.');
    return perform();
  });
  const answer = await api.get('/exportDeployment?applicationName=shop', { authorization: `Bearer ${token}` });
  assert.deepEqual([answer.status, answer.body.error], [503, 'The cluster is away.']);
  const { db, now } = api.service;
  assert.equal((await heldCopies(db, now())).size, 0, 'a clean-up may remove it');
});
