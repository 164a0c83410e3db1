import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { devicesOf, throttled } from './disk-throttle.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-devices-'));
});
after(async () => await rm(folder, { recursive: true }));

test('a path is on a whole disk, whose part its file system is', async () => {
  const dev = BigInt((await stat(folder)).dev);
  const name = `${(dev >> 8n) & 0xfffn}:${(dev & 0xffn) | ((dev >> 12n) & 0xfff00n)}`;
  await mkdir(join(folder, 'devices/sda/sda1'), { recursive: true });
  await writeFile(join(folder, 'devices/sda/sda1/partition'), '1\n');
  await mkdir(join(folder, 'block'));
  await symlink('../devices/sda/sda1', join(folder, 'block', name));
  assert.deepEqual(await devicesOf([folder, folder], join(folder, 'block')), ['/dev/sda']);
});

test('what is on no device, or not there, has none', async () => {
  assert.deepEqual(await devicesOf([folder, join(folder, 'nothing')], join(folder, 'nowhere')), []);
});

test('reading and writing have the same rate on every device', () => {
  const rate = { bytes: 100, operations: 7 };
  const config = throttled(['/dev/sda', '/dev/loop1'], rate);
  assert.deepEqual(config.BlkioDeviceWriteBps, [
    { Path: '/dev/sda', Rate: 100 },
    { Path: '/dev/loop1', Rate: 100 },
  ]);
  assert.deepEqual(config.BlkioDeviceReadIOps?.[0], { Path: '/dev/sda', Rate: 7 });
  assert.deepEqual(throttled([], rate).BlkioDeviceReadBps, []);
});
