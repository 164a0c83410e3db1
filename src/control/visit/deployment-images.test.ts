import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neighbourOf, shopOnMemory } from '../../../test/support/controlled-deployment.ts';
import { pod, specOf } from '../../../test/support/deployments.ts';

const web = pod('web', { image: 'nginx:1', path: '/', servicePorts: [80] });
const spec = specOf(web);
const onHost = { digest: 'sha256:1', hostDigest: 'sha256:1' };

type Shop = Awaited<ReturnType<typeof shopOnMemory>>;
const imagesRun = (shop: Shop) => [...shop.world.containers.values()].map(({ workload }) => workload.image);

test('a tag is looked up at the start, and a second visit does not ask again', async () => {
  const shop = await shopOnMemory(spec, { 'nginx:1': { ...onHost } });
  assert.deepEqual(await shop.visit(), ['check', 'create-network', 'start']);
  assert.deepEqual(imagesRun(shop), ['nginx@sha256:1']);
  assert.deepEqual(await shop.visit(), []);
});

test('a tag that has moved in its registry is pulled, although an image of that name is here', async () => {
  const shop = await shopOnMemory(spec, { 'nginx:1': { ...onHost, digest: 'sha256:2' } });
  assert.deepEqual(await shop.visit(), ['check', 'create-network', 'pull', 'start']);
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

test('a local image is enough when its registry cannot be reached, and the owner is notified', async () => {
  const shop = await shopOnMemory(spec, { 'nginx:1': { ...onHost, pullFault: 'registry-unreachable' } });
  await shop.visit();
  assert.equal((await shop.deployment()).state, 'running');
  const reported = 'image nginx:1 is used as it is on this host: its registry cannot be reached now';
  assert.equal((await shop.events()).filter((message) => message === reported).length, 1);
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

const registry = 'registry.example';
const login = { registry, username: 'me', personalAccessToken: 'secret' };
const privateImage = `${registry}/app:1`;
const ofImage = (image: string, registryLogin?: typeof login) => ({
  ...specOf({ ...web, image }),
  ...(registryLogin && { registryLogin }),
});
/** A deployment that pulled a private image with its own login. */
const shopWithPrivateImage = () =>
  shopOnMemory(ofImage(privateImage, login), {
    [privateImage]: { isOnHost: false, digest: 'sha256:1', token: 'secret' },
  });

test("a private image that one tenant's login brought here is not another tenant's", async () => {
  const shop = await shopWithPrivateImage();
  await shop.visit();
  assert.equal((await shop.deployment()).state, 'running');
  for (const [id, image] of Object.entries({ bytag: privateImage, bydigest: `${registry}/app@sha256:1` })) {
    const refused = await neighbourOf(shop, id, ofImage(image));
    assert.equal(refused.state, 'failed', id);
    assert.match(refused.message, /refuses/);
    const wrong = { ...login, personalAccessToken: 'wrong' };
    assert.equal((await neighbourOf(shop, `${id}wrong`, ofImage(image, wrong))).state, 'failed');
    assert.equal((await neighbourOf(shop, `${id}right`, ofImage(image, login))).state, 'running');
  }
  assert.equal(shop.world.containers.size, 3);
});

test('while its registry cannot be reached, a private image is there for those who were let in before', async () => {
  const shop = await shopWithPrivateImage();
  await shop.visit();
  shop.world.images.get(privateImage)!.pullFault = 'registry-unreachable';
  const stranger = await neighbourOf(shop, 'stranger', ofImage(privateImage, login));
  assert.equal(stranger.state, 'failed');
  assert.match(stranger.message, /registry\.example cannot be reached to ask whether this application may use/);
  await shop.update(specOf({ ...web, image: privateImage, vars: { A: '1' } }));
  await shop.visit();
  assert.equal((await shop.deployment()).state, 'running');
});

test('a public image is not made private by a login', async () => {
  const shop = await shopOnMemory(ofImage(privateImage, login), {
    [privateImage]: { isOnHost: false, digest: 'sha256:1' },
  });
  await shop.visit();
  shop.world.images.get(privateImage)!.pullFault = 'registry-unreachable';
  assert.equal((await neighbourOf(shop, 'other', ofImage(privateImage))).state, 'running');
});

test('a repository that has been made public is private no longer', async () => {
  const shop = await shopWithPrivateImage();
  await shop.visit();
  const image = shop.world.images.get(privateImage)!;
  delete image.token;
  assert.equal((await neighbourOf(shop, 'first', ofImage(privateImage))).state, 'running');
  image.pullFault = 'registry-unreachable';
  assert.equal((await neighbourOf(shop, 'second', ofImage(`${registry}/app@sha256:1`))).state, 'running');
});
