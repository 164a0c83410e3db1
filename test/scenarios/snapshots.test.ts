/**
 * Snapshots of one deployment on the real engine, with restic, and a service that is killed at the same time. Needs
 * root.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { buildImage } from '../contract/image.ts';
import { startS3 } from '../support/s3-server.ts';
import { inTier } from '../tier.ts';
import { shellYaml } from './applications.ts';
import { type Berth, createBerth, named, type Started, until } from './berth.ts';
import { claim } from './claimed.ts';

const run = promisify(execFile);
const onlyAsked = { BERTH_TIERS: 'free deployments=9 memory=9Gi snapshot-every=never' };
const needsRoot = { skip: process.getuid?.() === 0 ? false : 'file systems can be made by root alone' };
/** Kills of a service while it restores. */
const kills = inTier([1], [4]).at(-1)!;
let image: string;
before(async () => {
  image = await buildImage(await connectDocker(), { name: 'contract' });
});

/** Two volumes that contain the same number at every instant: each start of the pod writes to both. */
const script =
  'echo started >>/data/starts; echo started >>/more/starts; ln -sfn /more /data/more; exec busybox httpd -f -p 8080 -h /data';
const yaml = () =>
  shellYaml('keeper', image, script, [
    '{ name: data, size: 16Mi, mountPath: /data }',
    '{ name: more, size: 16Mi, mountPath: /more }',
  ]);

const reported = async (berth: Berth, { applicationName, sessionToken }: Started) => {
  const query = new URLSearchParams({ applicationName, sessionToken });
  return (await berth.get(`/getSnapshots?${query}`)).body;
};

async function whenTaken(berth: Berth, app: Started, id: string) {
  return await until('the snapshot is taken', async () => {
    const found = (await reported(berth, app)).snapshots.find((each: { id: string }) => each.id === id);
    assert.notEqual(found.state, 'failed', found.problem);
    return found.state === 'taken' ? found : undefined;
  });
}

async function take(berth: Berth, app: Started): Promise<string> {
  const { status, body, text } = await berth.postJson('/createSnapshot', named(app));
  assert.equal(status, 200, text);
  return body.snapshot.id;
}

/** How often it has been started, by each of its volumes. */
async function starts(berth: Berth, app: Started): Promise<number[]> {
  return await until('it answers', async () => {
    const texts = await Promise.all(['starts', 'more/starts'].map((path) => berth.visit(`${app.url}/${path}`)));
    return texts.every(({ status }) => status === 200)
      ? texts.map(({ text }) => text.split('\n').length - 1)
      : undefined;
  });
}

/** Returns the contents of all files by path. */
async function contentsBelow(folder: string): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    // A file that was removed in the meantime is skipped.
    const content = entry.isFile() ? await readFile(path).catch(() => undefined) : undefined;
    if (content) found.set(path, content);
  }
  return found;
}

async function restart(berth: Berth, app: Started): Promise<void> {
  const { id } = await berth.row(app);
  const docker = await connectDocker();
  const [found] = await docker.listContainers({ filters: { name: [`berth-${id}-web`] } });
  await docker.getContainer(found!.Id).restart({ t: 0 });
}

test(
  'a snapshot that a killed service was taking is taken by the next one, without leftovers or clear text',
  needsRoot,
  async (t) => {
    const berth = await createBerth(onlyAsked);
    t.after(() => berth.destroy());
    await berth.serve();
    const app = await berth.start(yaml());
    await berth.reach(app, 'running');
    const refused = await berth.postJson('/createSnapshot', named(app));
    assert.equal(refused.body.code, 'snapshot_needs_claim', refused.text);
    await claim(berth, app);

    const first = await take(berth, app);
    assert.equal((await berth.postJson('/createSnapshot', named(app))).body.code, 'snapshot_under_way');
    await delay(Math.random() * 1500);
    await berth.end('SIGKILL');
    await berth.serve();
    const { totalBytes, volumes, pausedMs } = await whenTaken(berth, app, first);
    assert.deepEqual([volumes.length, totalBytes > 0, pausedMs >= 0], [2, true, true]);
    await until('what was copied is gone', async () => {
      const left = await readdir(join(berth.settings.dataDir, 'volume-copies'));
      return left.length === 0 || undefined;
    });
    const { stdout } = await run('findmnt', ['--list', '--noheadings', '--output', 'TARGET']);
    assert.ok(!stdout.includes(join(berth.settings.dataDir, 'volume-copies')));
    for (const [name, content] of await contentsBelow(join(berth.settings.dataDir, 'snapshots')))
      assert.ok(!content.includes('started'), `${name} is in the clear`);
    assert.deepEqual((await berth.inventory()).orphans, []);
  },
);

test(
  'a restore that is interrupted anywhere ends with all data of the snapshot, and what was there can be had again',
  needsRoot,
  async (t) => {
    const berth = await createBerth(onlyAsked);
    t.after(() => berth.destroy());
    await berth.serve();
    const app = await berth.start(yaml());
    await berth.reach(app, 'running');
    await claim(berth, app);
    const snapshot = await take(berth, app);
    await whenTaken(berth, app, snapshot);
    assert.deepEqual(await starts(berth, app), [1, 1]);
    await restart(berth, app);
    await until('it has started again', async () => (await starts(berth, app))[0] === 2 || undefined);

    const requested = { ...named(app), snapshot };
    const trial = await berth.postJson('/restoreSnapshot?dryRun=true', requested);
    assert.deepEqual(
      [trial.body.stopped, trial.body.volumes, trial.body.left],
      [['web'], ['web-data', 'web-more'], []],
    );
    const { body, text } = await berth.postJson('/restoreSnapshot', requested);
    assert.equal(body.restore?.state, 'asked', text);
    for (let killed = 0; killed < kills; killed++) {
      await delay(Math.random() * 1200);
      await berth.end('SIGKILL');
      await berth.serve();
    }
    const done = await until('it is restored', async () => {
      const [restore] = (await reported(berth, app)).restores;
      assert.notEqual(restore.state, 'failed', restore.problem);
      return restore.state === 'done' ? restore : undefined;
    });
    await berth.reach(app, 'running');
    // One in the snapshot, and the start after the restore.
    assert.deepEqual(await starts(berth, app), [2, 2]);

    await whenTaken(berth, app, done.before);
    await berth.postJson('/restoreSnapshot', { ...named(app), snapshot: done.before, volumes: ['web-more'] });
    await until('one of them is as it was before', async () => {
      const [restore] = (await reported(berth, app)).restores;
      return restore.snapshot === done.before && restore.state === 'done' ? true : undefined;
    });
    const [data, more] = await starts(berth, app);
    assert.deepEqual([data, more], [3, 3]);
    assert.deepEqual((await berth.inventory()).orphans, []);
  },
);

test(
  'restored as another deployment, it runs with all data of the snapshot, after a kill at any step, and the first runs on',
  needsRoot,
  async (t) => {
    const berth = await createBerth(onlyAsked);
    t.after(() => berth.destroy());
    await berth.serve();
    const app = await berth.start(yaml());
    await berth.reach(app, 'running');
    await claim(berth, app);
    const snapshot = await take(berth, app);
    await whenTaken(berth, app, snapshot);
    await restart(berth, app);
    await until('it has started again', async () => (await starts(berth, app))[0] === 2 || undefined);

    const { body, text } = await berth.postJson('/restoreSnapshot', { ...named(app), snapshot, beside: true });
    const other: Started = body.started;
    assert.notEqual(other?.url, app.url, text);
    for (let killed = 0; killed < kills; killed++) {
      await delay(Math.random() * 1200);
      await berth.end('SIGKILL');
      await berth.serve();
    }
    await berth.reach(other, 'running');
    // One in the snapshot, and its own.
    assert.deepEqual(await starts(berth, other), [2, 2]);
    assert.deepEqual(await starts(berth, app), [2, 2]);
    const [restore] = (await reported(berth, other)).restores;
    assert.deepEqual([restore.state, restore.isBeside, restore.progress], ['done', true, 100]);

    // Its writes are its own; the other deployment does not see them.
    await restart(berth, other);
    await until('it has started again', async () => (await starts(berth, other))[0] === 3 || undefined);
    assert.deepEqual(await starts(berth, app), [2, 2]);
    assert.deepEqual((await berth.inventory()).orphans, []);
  },
);

test('data in a store that speaks S3 is restored from there, and is never in clear text', needsRoot, async (t) => {
  const store = await startS3();
  t.after(() => store[Symbol.asyncDispose]());
  const berth = await createBerth({ ...onlyAsked, ...store.env, BERTH_SNAPSHOTS: `${store.place}/snapshots` });
  t.after(() => berth.destroy());
  await berth.serve();
  const app = await berth.start(yaml());
  await berth.reach(app, 'running');
  await claim(berth, app);
  const snapshot = await take(berth, app);
  await whenTaken(berth, app, snapshot);
  await restart(berth, app);
  await until('it has started again', async () => (await starts(berth, app))[0] === 2 || undefined);
  await berth.postJson('/restoreSnapshot', { ...named(app), snapshot });
  await until('it is restored', async () => {
    const [restore] = (await reported(berth, app)).restores;
    assert.notEqual(restore.state, 'failed', restore.problem);
    return restore.state === 'done' || undefined;
  });
  assert.deepEqual(await starts(berth, app), [2, 2]);
  const objects = await contentsBelow(store.folder);
  assert.ok(objects.size > 0);
  for (const [name, content] of objects) assert.ok(!content.includes('started'), `${name} is in the clear`);

  await berth.postJson('/deleteSnapshot', { ...named(app), snapshot });
  await until('what only it needed has left', async () => {
    const left = [...(await contentsBelow(store.folder)).keys()].filter((name) =>
      /snapshots\/[^/]+\/snapshots\//.test(name),
    );
    return left.filter((name) => name.endsWith('_S3rver_object')).length === 1 || undefined;
  });
});

test(
  'files with holes that are larger than their volume are refused in words at once, and others are kept',
  needsRoot,
  async (t) => {
    const berth = await createBerth(onlyAsked);
    t.after(() => berth.destroy());
    await berth.serve();
    const hostile = yaml()
      .replace('name: keeper', 'name: hostile')
      .replace('echo', '[ -s /data/starts ] && busybox truncate -s 100G /data/hole; echo');
    const [holed, plain] = [await berth.start(hostile), await berth.start(yaml())];
    for (const app of [holed, plain]) {
      await berth.reach(app, 'running');
      await claim(berth, app);
    }
    const whole = await take(berth, holed);
    await whenTaken(berth, holed, whole);
    await restart(berth, holed);
    await until('it has started again', async () => (await starts(berth, holed))[0] === 2 || undefined);
    const [refused, kept] = [await take(berth, holed), await take(berth, plain)];
    await whenTaken(berth, plain, kept);
    const { problem } = await until('it is refused', async () => {
      const [found] = (await reported(berth, holed)).snapshots;
      return found.id === refused && found.state === 'failed' ? found : undefined;
    });
    assert.match(problem, /more than 2 times as large as the volumes/);
    const restore = (more: object) => berth.postJson('/restoreSnapshot', { ...named(holed), snapshot: whole, ...more });
    const restored = async (state: string) =>
      await until(`the restore is ${state}`, async () => {
        const [newest] = (await reported(berth, holed)).restores;
        return newest.state === state ? newest : undefined;
      });
    await restore({});
    assert.match((await restored('failed')).problem, /A restore without a snapshot beforehand does not need that/);
    await restore({ withoutSnapshot: true });
    await restored('done');
    await berth.reach(holed, 'running');
    assert.deepEqual(await starts(berth, holed), [2, 2]);
    const { id } = await berth.row(plain);
    assert.ok((await readdir(join(berth.settings.dataDir, 'snapshots'))).includes(id));
  },
);
