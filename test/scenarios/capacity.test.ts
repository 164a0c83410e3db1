import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { webYaml } from './applications.ts';
import { type Berth, createBerth, until } from './berth.ts';

let berth: Berth;
before(async () => {
  // Room for one pod of 32 MiB.
  berth = await createBerth({ BERTH_CAPACITY: 'memory=40Mi gpus=1000' });
  await berth.serve();
});
after(async () => await berth.destroy());

test('a start that does not fit is refused with 503 and Retry-After, and fits when another one has gone', async () => {
  const first = await berth.start(webYaml('first', 'first'));
  const refused = await berth.postYaml('/startUserDeployment', webYaml('second', 'second'));
  assert.equal(refused.status, 503);
  assert.equal(refused.headers['retry-after'], '60');
  assert.equal(refused.body.code, 'capacity_exhausted');
  await berth.reach(first, 'running');
  await berth.update(first, webYaml('first', 'updated'));
  await berth.reach(first, 'running');

  await berth.remove(first);
  const second = await until('the second one is admitted', async () => {
    const { status, body } = await berth.postYaml('/startUserDeployment', webYaml('second', 'second'));
    return status === 200 ? body : undefined;
  });
  await berth.reach(second, 'running');
  await berth.remove(second);
});
