import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pod, specOf } from '../deployment/testing.ts';
import { shopOnMemory } from './testing.ts';

const web = pod('web', { image: 'nginx:1', path: '/', servicePorts: [80] });
const spec = specOf(web);
const onHost = { digest: 'sha256:1', hostDigest: 'sha256:1' };

type Shop = Awaited<ReturnType<typeof shopOnMemory>>;
const imagesRun = (shop: Shop) => [...shop.world.containers.values()].map(({ workload }) => workload.image);

test('a tag is looked up at the start, and a second visit does not ask again', async () => {
  const shop = await shopOnMemory(spec, { 'nginx:1': { ...onHost } });
  assert.deepEqual(await shop.visit(), ['create-network', 'check', 'start']);
  assert.deepEqual(imagesRun(shop), ['nginx@sha256:1']);
  assert.deepEqual(await shop.visit(), []);
});

test('a tag that has moved in its registry is pulled, although an image of that name is here', async () => {
  const shop = await shopOnMemory(spec, { 'nginx:1': { ...onHost, digest: 'sha256:2' } });
  assert.deepEqual(await shop.visit(), ['create-network', 'check', 'pull', 'start']);
  assert.deepEqual(imagesRun(shop), ['nginx@sha256:2']);
});

test('a workload that has to be made again runs from the same image, wherever the tag has moved', async () => {
  const shop = await shopOnMemory(spec, { 'nginx:1': { ...onHost } });
  await shop.visit();
  shop.world.images.get('nginx:1')!.digest = 'sha256:2';
  shop.world.containers.clear();
  assert.deepEqual(await shop.visit(), ['start']);
  assert.deepEqual(imagesRun(shop), ['nginx@sha256:1']);
});

test('the same configuration sent again replaces a pod whose tag has moved, and leaves it alone otherwise', async () => {
  const shop = await shopOnMemory(spec, { 'nginx:1': { ...onHost } });
  await shop.visit();
  await shop.update(spec);
  assert.deepEqual(await shop.visit(), ['check']);
  shop.world.images.get('nginx:1')!.digest = 'sha256:2';
  await shop.update(spec);
  assert.deepEqual(await shop.visit(), ['check', 'pull', 'start', 'remove']);
  assert.deepEqual(imagesRun(shop), ['nginx@sha256:2']);
});

test('an image that is here is enough when its registry cannot be reached, and the owner is told', async () => {
  const shop = await shopOnMemory(spec, { 'nginx:1': { ...onHost, pullFault: 'registry-unreachable' } });
  await shop.visit();
  assert.equal((await shop.deployment()).state, 'running');
  const told = 'image nginx:1 is used as it is on this host: its registry cannot be reached now';
  assert.equal((await shop.events()).filter((message) => message === told).length, 1);
});

test('a failed update goes back to the image that served, although its tag has moved', async () => {
  const shop = await shopOnMemory(spec, { 'nginx:1': { ...onHost }, 'bad:1': { exitCode: 3 } });
  await shop.visit();
  shop.world.images.get('nginx:1')!.digest = 'sha256:2';
  await shop.update(specOf({ ...web, image: 'bad:1' }));
  await shop.visit();
  assert.equal((await shop.deployment()).state, 'failed');
  assert.deepEqual(imagesRun(shop), ['nginx@sha256:1']);
});
