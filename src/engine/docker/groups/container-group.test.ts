import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { findControlGroup, isYielding, setYielding, usedMsOf } from './container-group.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-groups-'));
});
after(async () => await rm(folder, { recursive: true }));

/** Writes the kernel's files, and finds the group of process 7 of container `abc`. */
async function found(files: Record<string, string>) {
  const root = await mkdtemp(join(folder, 'machine-'));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return { root, group: await findControlGroup(7, 'abc', { root, processes: join(root, 'proc') }) };
}

test('control groups of version 2 are read and set', async () => {
  const { root, group } = await found({
    'proc/7/cgroup': '0::/system.slice/docker-abc.scope\n',
    'system.slice/docker-abc.scope/cpu.stat': 'usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n',
    'system.slice/docker-abc.scope/cpu.idle': '0\n',
  });
  assert.ok(group);
  assert.equal(await usedMsOf(group), 2500);
  assert.equal(await isYielding(group), false);
  await setYielding(group, true);
  assert.equal(await isYielding(group), true);
  assert.equal(await readFile(join(root, 'system.slice/docker-abc.scope/cpu.idle'), 'utf8'), '1');
});

test('control groups of version 1 are read at each controller, next to an empty one of version 2', async () => {
  const { group } = await found({
    'proc/7/cgroup': '8:pids:/docker/abc\n3:cpuset:/docker/abc\n2:cpu,cpuacct:/docker/abc\n0::/\n',
    'cpuacct/docker/abc/cpuacct.usage': '2500000000\n',
    'cpu/docker/abc/cpu.idle': '1\n',
  });
  assert.ok(group);
  assert.equal(await usedMsOf(group), 2500);
  assert.equal(await isYielding(group), true);
});

test('a process that is not of the container has no group of it, nor has one that has ended', async () => {
  assert.equal((await found({ 'proc/7/cgroup': '0::/system.slice/docker-other.scope\n' })).group, undefined);
  assert.equal((await found({})).group, undefined);
});
