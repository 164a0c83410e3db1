import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Docker from 'dockerode';
import { volumesFolder } from '../../src/engine/docker/volumes/loop-layout.ts';
import { createLoopVolumes, type LoopVolumes } from '../../src/engine/docker/volumes/loop-volumes.ts';
import type { Owned } from '../../src/engine/engine.ts';
import { buildImage } from '../contract/image.ts';
import { assertGone, assertWhole } from './aftermath.ts';
import { keepingYaml } from './applications.ts';
import { type Berth, createBerth, type Started, until } from './berth.ts';
import { byHand, workloadsOf } from './by-hand.ts';
import { onDocker } from './engine-of-tests.ts';

const itsFiles = onDocker("what is in a claim goes with it: the volume is the storage class's");
let berth: Berth;
let image: string;
/** Volumes of a host that can limit them. */
let fileSystems: LoopVolumes;
before(async () => {
  image = await buildImage(new Docker(), { name: 'contract' });
  berth = await createBerth();
  fileSystems = createLoopVolumes(volumesFolder(berth.settings.dataDir));
  await berth.serve();
});
after(async () => await berth?.destroy());

const whole = { path: '/says', says: /here/, workloads: 2, volumes: 1 };

async function start(name: string): Promise<{ app: Started; born: string }> {
  const app = await berth.start(keepingYaml(name, image, 'here'));
  await assertWhole(berth, app, whole);
  return { app, born: await bornOf(app) };
}

/** The id that the volume got when it was empty. */
async function bornOf({ url }: Started): Promise<string> {
  return (await berth.visit(`${url}/born`)).text;
}

async function removeByHand(app: Started, ...kinds: Owned['kind'][]): Promise<void> {
  const { id } = await berth.row(app);
  const { owned } = await berth.inventory();
  for (const kind of kinds) {
    for (const object of owned.filter((each) => each.kind === kind && each.deploymentId === id))
      await byHand.remove(object);
  }
}

/** Makes the service look now, before the next resync. */
async function ask(app: Started): Promise<void> {
  assert.equal((await berth.postJson('/extendDeployment', app)).status, 200);
}

const losses = async (app: Started) => (await berth.events(app)).filter((message) => /was lost/.test(message));

async function remove(app: Started): Promise<void> {
  await berth.remove(app);
  await assertGone(berth, app);
}

test('containers removed behind our back are made again, with the data of their volumes', async () => {
  const { app, born } = await start('containers');
  await removeByHand(app, 'workload');
  await assertWhole(berth, app, whole);
  assert.equal(await bornOf(app), born);
  await remove(app);
});

test('containers stopped behind our back are started again', async () => {
  const { app, born } = await start('stopped');
  for (const workload of await workloadsOf(berth, app)) await byHand.stop(workload);
  await assertWhole(berth, app, whole);
  assert.equal(await bornOf(app), born);
  await remove(app);
});

for (const [what, tamper] of [
  ['paused', byHand.pause],
  ['taken off their network', byHand.takeOffNetwork],
] as const)
  test(
    `containers ${what} behind our back answer again, within the time of a survey and without being replaced`,
    onDocker('a pod cannot be changed like that'),
    async () => {
      const { app, born } = await start(what.split(' ')[0]!);
      const before = await workloadsOf(berth, app);
      for (const workload of before) await tamper!(workload);
      await assertWhole(berth, app, whole);
      await until('they are as before', async () =>
        (await workloadsOf(berth, app)).every(({ tampering }) => tampering === undefined) ? true : undefined,
      );
      await assertWhole(berth, app, whole);
      assert.equal(await bornOf(app), born);
      const ids = (workloads: Owned[]) => workloads.map(({ id }) => id).sort();
      assert.deepEqual(ids(await workloadsOf(berth, app)), ids(before));
      await remove(app);
    },
  );

test('a network removed behind our back is made again, with everything that was on it', async () => {
  const { app, born } = await start('network');
  const { id } = await berth.row(app);
  const { owned } = await berth.inventory();
  const network = owned.find(({ kind, deploymentId }) => kind === 'network' && deploymentId === id)!;
  await byHand.remove(network);
  await ask(app);
  await until('it is there again', () => byHand.hasNetwork(network));
  await assertWhole(berth, app, whole);
  assert.equal(await bornOf(app), born);
  await remove(app);
});

test(
  'a volume that the engine has lost comes back with what is in it, where it has a file system of its own',
  itsFiles,
  async (t) => {
    const { app, born } = await start('engine-volume');
    const hasFileSystem = (await fileSystems.list()).length > 0;
    if (!hasFileSystem) t.diagnostic('volumes are directories of the engine here');
    await berth.end('SIGKILL');
    await removeByHand(app, 'workload', 'volume');
    await berth.serve();
    await assertWhole(berth, app, whole);
    assert.equal((await bornOf(app)) === born, hasFileSystem);
    assert.equal((await losses(app)).length, hasFileSystem ? 0 : 1);
    await remove(app);
  },
);

test('the loss of a volume with its data is reported, and the deployment runs again on an empty one', async () => {
  const { app, born } = await start('lost-volume');
  await berth.end('SIGKILL');
  await removeByHand(app, 'workload', 'volume');
  const { id } = await berth.row(app);
  for (const volume of await fileSystems.list(id)) await fileSystems.remove(volume);
  await berth.serve();
  await assertWhole(berth, app, whole);
  assert.notEqual(await bornOf(app), born);
  assert.deepEqual(await losses(app), [
    'The volume data of pod store was lost on the engine with its data. It is created again, empty.',
  ]);
  await remove(app);
});

test('everything removed behind our back is made again', async () => {
  const { app } = await start('everything');
  await berth.end('SIGTERM');
  await removeByHand(app, 'workload', 'volume', 'network');
  await berth.serve();
  await assertWhole(berth, app, whole);
  await remove(app);
});
