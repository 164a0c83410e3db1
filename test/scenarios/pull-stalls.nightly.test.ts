import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Docker from 'dockerode';
import { buildImage, programImage } from '../contract/image.ts';
import { type Registry, startRegistry } from '../contract/registry.ts';
import { listing } from '../support/images.ts';
import { assertGone, assertWhole } from './aftermath.ts';
import { saysPath, tinyYaml } from './applications.ts';
import { type Berth, createBerth, type Started, until } from './berth.ts';
import { createPrivateEngine, type PrivateEngine } from './private-engine.ts';

let engine: PrivateEngine;
let berth: Berth;
/** Another installation. */
let hasty: Berth;
let registry: Registry;
let here: string;
before(async () => {
  here = await buildImage(new Docker(), { name: 'contract' });
  engine = await createPrivateEngine();
  await engine.load(here);
  const { Arch: architecture } = await engine.docker.version();
  const options = { architecture, foreignArchitecture: 'none', needsLogin: false, program: await programImage() };
  registry = await startRegistry({ ...options, address: engine.host.outsideAddress });
  // Longer than a busy machine needs for these tests: a stalled pull fails at the deadline.
  const patience = { BERTH_TIMEOUTS: 'deploy=30m registry=30m drain=200ms' };
  berth = await createBerth({ ...patience, ...listing(registry) }, { engine });
  hasty = await createBerth(listing(registry), { engine });
  await berth.serve();
});
after(async () => {
  await hasty?.destroy();
  await berth?.destroy();
  await engine?.close();
  await registry?.close();
});

const whole = (says: RegExp) => ({ path: saysPath, says, workloads: 2, volumes: 0 });

/** Started, and on its way to nowhere. */
async function startStalled(name: string) {
  const { image, letGo } = await registry.hold(name, 1, 'runs');
  return { ...(await startPulling(name, image)), letGo };
}

async function startPulling(name: string, image: string) {
  const app = await berth.start(tinyYaml(name, image, name));
  await until('its pods say what they wait for', async () => {
    const { pods } = await berth.status(app);
    return pods?.some(({ message }: { message?: string }) => message === 'its image is being downloaded');
  });
  return { app, image };
}

async function remove(app: Started): Promise<void> {
  await berth.remove(app);
  await assertGone(berth, app);
}

test('a pull that stalls delays no other deployment, not even other pulls, nor its own removal', async () => {
  // The image has a unique layer, because Docker would download a shared one once for both.
  const { image } = await registry.hold('stalled', 8);
  const stalled = await startPulling('stalled', image);
  const [local, pulled] = await Promise.all([
    berth.start(tinyYaml('local', here, 'local')),
    berth.start(tinyYaml('pulled', `${registry.host}/program:1`, 'pulled')),
  ]);
  await assertWhole(berth, local, whole(/local/));
  await assertWhole(berth, pulled, whole(/pulled/));
  assert.equal((await berth.status(stalled.app)).state, 'deploying');
  await remove(stalled.app);
  for (const app of [local, pulled]) await remove(app);
});

test('an update does not wait for the stalled pull of the revision before it', async () => {
  const { app } = await startStalled('updated');
  await berth.update(app, tinyYaml('updated', here, 'updated'));
  await assertWhole(berth, app, whole(/updated/));
  await remove(app);
});

test('an extension leaves a pull alone: what is here already is not sent again', async () => {
  const before = registry.layersServed();
  const { app, letGo } = await startStalled('extended');
  assert.equal((await berth.postJson('/extendDeployment', app)).status, 200);
  letGo();
  await assertWhole(berth, app, whole(/extended/));
  assert.equal(registry.layersServed() - before, 1);
  await remove(app);
});

test('a pull in which nothing moves until the deadline fails in words; the next try finds a registry that is back', async () => {
  await hasty.serve({ BERTH_TIMEOUTS: 'deploy=15s drain=200ms' });
  const { image, letGo } = await registry.hold('late', 1, 'runs');
  const app = await hasty.start(tinyYaml('late', image, 'late'));
  const { message } = await hasty.reach(app, 'failed');
  assert.equal(
    message,
    `pods back, front: The pull of ${image} has stalled: its registry ${registry.host} may have stopped sending ` +
      '(it starts as soon as its registry answers)',
  );
  letGo();
  // Deployments that should run need the usual deadline.
  await hasty.end('SIGTERM');
  await hasty.serve();
  await hasty.update(app, tinyYaml('late', image, 'late'));
  await assertWhole(hasty, app, whole(/late/));
  await hasty.remove(app);
  await assertGone(hasty, app);
  await hasty.end('SIGTERM');
});

test('the service stops while a pull is under way, and the next one goes on with it', async () => {
  const { app, letGo } = await startStalled('interrupted');
  await berth.end('SIGTERM');
  letGo();
  await berth.serve();
  await assertWhole(berth, app, whole(/interrupted/));
  await remove(app);
});
