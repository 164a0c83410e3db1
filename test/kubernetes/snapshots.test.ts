/**
 * Snapshots of a deployment on a cluster, with restic, and a service that is killed at the same time: first on a
 * cluster without VolumeSnapshots, then with those of a stand-in.
 */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { shellYaml } from '../scenarios/applications.ts';
import { type Started, until } from '../scenarios/berth.ts';
import { type SnapshotService, serveSnapshots } from './snapshot-service.ts';

const blobBytes = 8 * 2 ** 20;
const modes = '1234:567 2750\n1234:567 4711\nown/file';

let service: SnapshotService;
let app: Started;
let first: string;
/** The starts so far. Each copy adds one, as does each repeated attempt. */
let startsKept: number;

/**
 * Each start writes to both volumes, which have the same numbers while it runs; the first one writes what is large, and
 * what has an owner and a mode of its own.
 */
const keeperScript = `echo started >>/data/starts; echo started >>/more/starts
[ -f /data/blob ] || { head -c ${blobBytes} /dev/urandom >/data/blob; mkdir /more/own; chmod 2750 /more/own
  echo hers >/more/own/file; ln -s own/file /more/link; chown -R 1234:567 /more/own; chmod 4711 /more/own/file; }
stat -c '%u:%g %a' /more/own /more/own/file >/data/modes; readlink /more/link >>/data/modes
md5sum /data/blob >/data/sum
ln -sfn /more /data/more
n=$(cat /more/number || echo 0)
while :; do n=$((n+1)); echo $n >/data/number.new; mv /data/number.new /data/number; echo $n >/more/number.new; mv /more/number.new /more/number; sleep 0.05; done &
exec busybox httpd -f -p 8080 -h /data`;

const yaml = (image: string) =>
  shellYaml('keeper', image, keeperScript, [
    '{ name: data, size: 64Mi, mountPath: /data }',
    '{ name: more, size: 16Mi, mountPath: /more }',
  ]);

before(async () => {
  service = await serveSnapshots();
  app = await service.start(yaml(service.image));
});
after(() => service?.[Symbol.asyncDispose]());

async function textsOf(of: Started, ...paths: string[]): Promise<string[]> {
  return await until('it answers', async () => {
    const answers = await Promise.all(
      paths.map((path) => service.berth.visit(`${of.url}/${path}`).catch(() => undefined)),
    );
    return answers.every((answer) => answer?.status === 200) ? answers.map((answer) => answer!.text.trim()) : undefined;
  });
}

/** How often it has been started, as each of its volumes says. */
async function bothStarts(of: Started): Promise<number> {
  const [data, more] = (await textsOf(of, 'starts', 'more/starts')).map((text) => text.split('\n').length);
  assert.equal(data, more);
  return data!;
}

async function numbers(of: Started): Promise<number[]> {
  return (await textsOf(of, 'number', 'more/number')).map(Number);
}

test('a snapshot stops those that write for as long as it says, and moves what has changed', async (t) => {
  assert.deepEqual(await textsOf(app, 'modes'), [modes]);
  first = await service.take(app);
  const one = await service.whenTaken(app, first);
  assert.ok(one.addedBytes >= blobBytes && one.pausedMs > 0, JSON.stringify(one));
  await service.nothingIsLeft(app);
  startsKept = (await bothStarts(app)) - 1;
  assert.ok(startsKept > 0);
  const two = await service.whenTaken(app, await service.take(app));
  assert.ok(two.totalBytes >= blobBytes && two.addedBytes < blobBytes / 2, JSON.stringify(two));
  t.diagnostic(
    `stopped for ${one.pausedMs} and ${two.pausedMs} ms, moved ${one.addedBytes} and ${two.addedBytes} bytes`,
  );
  assert.ok((await bothStarts(app)) > startsKept + 1);
  for (const entry of await readdir(service.folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      assert.ok(!(await readFile(join(entry.parentPath, entry.name))).includes('started'), entry.name);
});

test('restored in place, all volumes are those of the snapshot, with owners and modes, at the same address', async () => {
  const [before] = await numbers(app);
  await service.restore(app, first);
  await service.whenRestored(app);
  // The starts in the snapshot, and the one after the restore.
  assert.equal(await bothStarts(app), startsKept + 1);
  const [now] = await numbers(app);
  assert.ok(now! < before!, `${now} after ${before}`);
  assert.deepEqual(await textsOf(app, 'modes'), [modes]);
  await service.nothingIsLeft(app);
});

test('restored as another deployment, it begins with the data of the snapshot', async () => {
  const [sum] = await textsOf(app, 'sum');
  const other: Started = (await service.restore(app, first, { beside: true })).started;
  await service.berth.reach(other, 'running');
  assert.equal(await bothStarts(other), startsKept + 1);
  assert.deepEqual(await textsOf(other, 'sum'), [sum]);
  await service.nothingIsLeft(other);
  await service.berth.remove(other);
});

test('of a service that is killed while it copies nothing is left, and the next one takes the snapshot', async () => {
  for (const instant of ['what copies is there', 'its pod is stopped']) {
    const id = await service.take(app);
    await until(instant, async () => {
      const there = await service.copiersOf(app);
      return (
        there.some((name) => name.startsWith(instant === 'its pod is stopped' ? 'Deployment web-' : 'Job copier-')) ||
        undefined
      );
    });
    await service.berth.end('SIGKILL');
    await service.berth.serve();
    await service.whenTaken(app, id);
    await service.nothingIsLeft(app);
    await service.berth.reach(app, 'running');
    const [data, more] = await numbers(app);
    assert.ok(Math.abs(data! - more!) <= 2, `${data} and ${more}`);
  }
});

test('each process reports once why pods are stopped for a snapshot', () => {
  const reported = (words: string) => service.berth.log().split(words).length - 1;
  assert.equal(
    reported('"because":"the cluster has no VolumeSnapshots"'),
    reported('"msg":"Berth serves"'),
    service.berth.log(),
  );
});

test('with VolumeSnapshots no pod is stopped, and their data comes back', async () => {
  await service.standIn.begin();
  const starts = await bothStarts(app);
  const [sum] = await textsOf(app, 'sum');
  const id = await service.take(app);
  const { pausedMs, totalBytes } = await service.whenTaken(app, id);
  assert.equal(pausedMs, 0);
  assert.ok(totalBytes >= blobBytes, String(totalBytes));
  await service.nothingIsLeft(app);
  assert.equal(await bothStarts(app), starts);
  const other: Started = (await service.restore(app, id, { beside: true })).started;
  await service.berth.reach(other, 'running');
  assert.equal(await bothStarts(other), starts + 1);
  assert.deepEqual(await textsOf(other, 'modes', 'sum'), [modes, sum]);
  await service.nothingIsLeft(other);
  await service.berth.remove(other);
});

test('of a service that is killed while storage takes VolumeSnapshots none is left', async () => {
  service.standIn.isHeld = true;
  const id = await service.take(app);
  const taking = async () => (await service.copiersOf(app)).filter((name) => name.startsWith('VolumeSnapshot '));
  await until('both are requested', async () => (await taking()).length === 2 || undefined);
  const left = await taking();
  await service.berth.end('SIGKILL');
  await service.berth.serve();
  await until('they are gone', async () => !(await taking()).some((name) => left.includes(name)) || undefined);
  service.standIn.isHeld = false;
  assert.equal((await service.whenTaken(app, id)).pausedMs, 0);
  await service.nothingIsLeft(app);
});
