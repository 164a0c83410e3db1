import assert from 'node:assert/strict';
import { link, mkdir, mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { newId } from '../../../lib/ids.ts';
import { EngineFault } from '../../engine.ts';
import { copyFrozen } from './frozen-copy.ts';
import { loopPlace } from './loop-layout.ts';
import { apparentBytesBelow, bytesOfCopies } from './volume-copies.ts';

const gibibyte = 2 ** 30;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-copies-'));
});
after(() => rm(folder, { recursive: true }));

test('a hole counts as what a reader gets of it, and a file by each of its names', async () => {
  const here = join(folder, 'files');
  await mkdir(join(here, 'below'), { recursive: true });
  const file = join(here, 'below', 'file');
  await writeFile(file, 'some');
  const before = await apparentBytesBelow([here]);
  await truncate(file, 40 * gibibyte);
  assert.equal((await stat(file)).blocks * 512 < gibibyte, true);
  assert.equal((await apparentBytesBelow([here])) - before, 40 * gibibyte - 4);
  await link(file, join(here, 'again'));
  assert.ok((await apparentBytesBelow([here])) >= 80 * gibibyte);
  assert.ok((await apparentBytesBelow([here, join(here, 'below')])) >= 80 * gibibyte);
  assert.equal(await apparentBytesBelow([]), 0);
});

test('copies take what is in the volumes, and what is kept as much again on the same disk alone', async () => {
  const volumes = ['data', 'log'];
  for (const volume of volumes) {
    const { folder: its, image } = loopPlace(folder, 'shop', volume);
    await mkdir(its, { recursive: true });
    await writeFile(image, Buffer.alloc(2 ** 20, volume));
    await truncate(image, gibibyte);
  }
  const bytes = await bytesOfCopies(folder, 'shop', volumes);
  assert.ok(bytes >= 2 * 2 ** 20 && bytes < gibibyte, String(bytes));
  assert.equal(await bytesOfCopies(folder, 'shop', volumes, join(folder, 'not', 'there', 'yet')), 2 * bytes);
  assert.equal(await bytesOfCopies(folder, 'shop', volumes, '/proc/self'), bytes);
});

test('volumes that cannot be copied in time are refused before their writers wait', async () => {
  const image = join(folder, 'image');
  await writeFile(image, 'no file system');
  // Memory shares no blocks with a disk, and freezing this mount would fail.
  const volume = { image, mount: join(folder, 'nowhere', 'to', 'freeze'), copy: `/dev/shm/berth-${newId()}` };
  await rm(volume.copy, { force: true });
  await assert.rejects(copyFrozen([volume], { withinMs: 0 }), (error) => {
    assert.ok(error instanceof EngineFault && error.endsTry, String(error));
    assert.match(error.message, /more than this host copies in 0 s.*shares blocks/);
    return true;
  });
  await rm(volume.copy, { force: true });
});
