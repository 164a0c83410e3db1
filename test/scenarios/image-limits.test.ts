/** Limits of images that are pulled for users' deployments, and of concurrent pulls. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Docker from 'dockerode';
import { programImage } from '../contract/image.ts';
import { type Registry, startRegistry } from '../contract/registry.ts';
import { listing, removeBrought } from '../support/images.ts';
import { tinyYaml } from './applications.ts';
import { type Berth, createBerth, until } from './berth.ts';
import { onDocker } from './engine-of-tests.ts';

const held = onDocker(
  'a start on a cluster requests each layer before a node pulls: a layer that is held back means a stopped registry',
);

const docker = new Docker();
let berth: Berth;
let registry: Registry;

before(async () => {
  const { Arch: architecture } = await docker.version();
  registry = await startRegistry({
    architecture,
    foreignArchitecture: 'none',
    needsLogin: false,
    program: await programImage(),
  });
  const strangers = 'session=10 address=20 memory=8Gi image-size=10Mi image-unpacked=20Mi pulls=1';
  berth = await createBerth({ BERTH_STRANGERS: strangers, ...listing(registry) });
  await berth.serve();
});
after(async () => {
  await berth?.destroy();
  await registry?.close();
  if (registry) await removeBrought(docker, registry.host);
});

test('an image above the limits without an account fails with an explanation before it is pulled', async () => {
  const { image } = await registry.hold('large', 4);
  const large = await berth.start(tinyYaml('large', image, 'large'));
  const { message } = await berth.reach(large, 'failed');
  assert.match(message, /has 12 MiB, more than 10 MiB, the maximum for an image without an account/);
  assert.equal(registry.layersServed(), 0);
  await berth.remove(large);
});

test('images of one client come as many at a time as it may have, and those that wait come then', held, async () => {
  const [first, second] = [await registry.hold('first', 1, 'runs'), await registry.hold('second', 1, 'runs')];
  second.letGo();
  const ahead = await berth.start(tinyYaml('ahead', first.image, 'ahead'));
  await until('the first one comes', async () => registry.layersServed() === 1);
  const behind = await berth.start(tinyYaml('behind', second.image, 'behind'));
  await until('the other one has come so far', async () =>
    (await berth.events(behind)).some((line) => /create-network|network/i.test(line)),
  );
  assert.equal(registry.layersServed(), 1);
  first.letGo();
  for (const app of [ahead, behind]) await berth.reach(app, 'running');
  assert.equal(registry.layersServed(), 2);
  for (const app of [ahead, behind]) await berth.remove(app);
});
