import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import Docker from 'dockerode';
import { buildImage, programImage } from '../contract/image.ts';
import { type Registry, startRegistry } from '../contract/registry.ts';
import { listing } from '../support/images.ts';
import { assertGone, assertWhole } from './aftermath.ts';
import { saysPath, tinyYaml } from './applications.ts';
import { type Berth, createBerth, type Started, until } from './berth.ts';
import { createPrivateEngine, type PrivateEngine } from './private-engine.ts';

const megabyte = 1e6;
let engine: PrivateEngine;
let berth: Berth;
let registry: Registry;
let here: string;
before(async () => {
  here = await buildImage(new Docker(), { name: 'contract' });
  // Docker tries a download five times, with up to 20 s in between.
  const daemonOptions = ['--max-download-attempts', '1'];
  engine = await createPrivateEngine({ diskBytes: 200 * megabyte, daemonOptions });
  await engine.load(here);
  const { Arch: architecture } = await engine.docker.version();
  const options = { architecture, foreignArchitecture: 'none', needsLogin: false, program: await programImage() };
  registry = await startRegistry({ ...options, address: engine.host.outsideAddress });
  // A start is admitted if its volumes and logs fit (30 MB for each pod), regardless of the size of its image.
  berth = await createBerth({ BERTH_DISK_FREE: '1Mi', BERTH_CONTAINER_DISK: '30Mi', ...listing(registry) }, { engine });
  await berth.serve();
});
after(async () => {
  await berth?.destroy();
  await engine?.close();
  await registry?.close();
});

afterEach(makeRoom);

const whole = (says: string) => ({ path: saysPath, says: new RegExp(says), workloads: 2, volumes: 0 });
const filler = () => join(engine.dataRoot, 'filler');

/** Fills the engine's disk until so much is free; completely by default. */
async function fill(freeBytes = 0): Promise<void> {
  const [, available] = (await engine.host.run(['df', '--output=avail', '--block-size=1', engine.dataRoot])).split(
    '\n',
  );
  const bytes = Number(available) - freeBytes;
  const dd = ['dd', 'if=/dev/zero', `of=${filler()}`, 'bs=64K', `count=${Math.ceil(bytes / 65_536)}`] as const;
  // It may end with "no space left": that is what it is for.
  await engine.host.run(dd).catch(() => {});
}

async function makeRoom(): Promise<void> {
  await engine.host.run(['rm', '-f', filler()]);
}

/**
 * Work in this period fails soon. Soon is the time that a busy machine needs until a pull has filled the disk; a
 * shorter deadline would end the pull for its lack of progress.
 */
async function whileHasty<T>(work: () => Promise<T>): Promise<T> {
  await berth.end('SIGTERM');
  await berth.serve({ BERTH_TIMEOUTS: 'deploy=30s drain=200ms' });
  const done = await work();
  await berth.end('SIGTERM');
  await berth.serve();
  return done;
}

async function remove(app: Started): Promise<void> {
  await berth.remove(app);
  await assertGone(berth, app);
}

test('an image that does not fit on the disk fails its deployment in words, and it runs when there is room', async () => {
  const steady = await berth.start(tinyYaml('steady', here, 'steady'));
  await assertWhole(berth, steady, whole('steady'));
  const { image, letGo } = await registry.hold('large', 30, 'runs');
  letGo();
  await fill(80 * megabyte);
  const { large, message } = await whileHasty(async () => {
    const large = await berth.start(tinyYaml('large', image, 'large'));
    return { large, message: (await berth.reach(large, 'failed')).message };
  });
  assert.equal(
    message,
    `pods back, front: Out of disk: the host has no space left for image ${image} (the operator has to make room)`,
  );
  assert.equal((await berth.visit(steady.url + saysPath)).status, 200);

  await makeRoom();
  await berth.update(large, tinyYaml('large', image, 'large'));
  await assertWhole(berth, large, whole('large'));
  for (const app of [large, steady]) await remove(app);
});

test('an update on a full disk fails in words and leaves the revision that serves; a start is refused', async () => {
  const app = await berth.start(tinyYaml('app', here, 'first'));
  await assertWhole(berth, app, whole('first'));
  await fill();
  const message = await whileHasty(async () => {
    await berth.update(app, tinyYaml('app', here, 'second'));
    return (await berth.reach(app, 'failed')).message;
  });
  assert.match(
    message,
    /^pod (back|front): out of disk: .* \(the operator has to make room\); revision 1 still serves$/,
  );
  assert.match((await berth.visit(app.url + saysPath)).text, /first/);
  const refused = await berth.postYaml('/startUserDeployment', tinyYaml('more', here, 'more'));
  assert.deepEqual([refused.status, refused.body.code], [503, 'capacity_exhausted']);

  await makeRoom();
  await berth.update(app, tinyYaml('app', here, 'third'));
  await assertWhole(berth, app, whole('third'));
  await remove(app);
});

test('what is removed on a full disk leaves nothing', async () => {
  const app = await berth.start(tinyYaml('app', here, 'here'));
  await assertWhole(berth, app, whole('here'));
  await fill();
  await remove(app);
  await makeRoom();
});

test('a deployment that reserves the whole disk is stopped, the third time for good, and the space is free again', async () => {
  const steady = await berth.start(tinyYaml('steady', here, 'steady'));
  await assertWhole(berth, steady, whole('steady'));
  const reserve = 'busybox httpd -p 8080 -h /www; busybox fallocate -l 1099511627776 /tmp/file; exec sleep 100000';
  const greedy = await berth.start(`application:
  name: greedy
  pods:
    - name: web
      image: "${here}"
      path: /
      servicePorts: [8080]
      entrypoint: /bin/sh
      command: ${JSON.stringify(['-c', reserve])}
`);
  const message = await until('it has failed', async () => {
    const status = await berth.status(greedy);
    return status.state === 'failed' ? status.message : undefined;
  });
  assert.match(message, /^pod web: was stopped 3 times within an hour: it had written [\d.]+ MiB outside its volumes/);
  assert.match((await berth.visit(steady.url + saysPath)).text, /steady/);
  const next = await berth.start(tinyYaml('next', here, 'next'));
  await assertWhole(berth, next, whole('next'));
  for (const app of [greedy, steady, next]) await remove(app);
});
