import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { EngineFault } from '../../engine.ts';
import { faultOf } from '../faults.ts';
import { createGroups } from './groups.ts';
import { type Kernel, openKernel } from './kernel.ts';
import { deploymentGroup, deploymentOf, installationGroup, usualLimit } from './layout.ts';

const gibi = 2 ** 30;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-groups-'));
});
after(async () => await rm(folder, { recursive: true }));

/** Files as the kernel shows them; none of them does anything. */
async function shown(...paths: string[]): Promise<{ root: string; kernel: Kernel }> {
  const root = await mkdtemp(join(folder, 'machine-'));
  for (const path of paths) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), '');
  }
  const kernel = await openKernel(root);
  assert.ok(kernel);
  return { root, kernel };
}

test('the engine is told a path, or a slice that is within the slice of all', () => {
  assert.deepEqual(deploymentGroup('cgroupfs', 'me', 'abc'), { parent: '/berth-me/abc', path: 'berth-me/abc' });
  assert.deepEqual(deploymentGroup('systemd', 'test-me', 'abc'), {
    parent: 'berth-test_me-abc.slice',
    path: 'berth.slice/berth-test_me.slice/berth-test_me-abc.slice',
  });
  for (const driver of ['cgroupfs', 'systemd'] as const) {
    const { path } = deploymentGroup(driver, 'me', 'abc');
    assert.ok(path.startsWith(`${installationGroup(driver, 'me').path}/`));
    assert.equal(deploymentOf(driver, 'me', path.split('/').at(-1)!), 'abc');
  }
  assert.equal(deploymentOf('systemd', 'me', 'berth-you-abc.slice'), undefined);
});

test('the machine keeps a tenth of its memory, and 1 GiB where that is no more than a fifth', () => {
  const keptTenths = [24, 8, 4, 1].map((size) => Math.round((10 * (size * gibi - usualLimit(size * gibi))) / gibi));
  assert.deepEqual(keptTenths, [24, 10, 8, 2]);
});

test('with control groups of version 2, limit, weight and idleness are written where the kernel reads them', async () => {
  const { root, kernel } = await shown('cgroup.controllers', 'cgroup.subtree_control');
  assert.equal(kernel.version, 2);
  const options = {
    owner: 'me',
    driver: 'cgroupfs',
    kernel,
    limitBytes: 2 * gibi,
    shares: 512,
    startsIdle: true,
  } as const;
  const groups = createGroups(options);
  assert.equal(await groups.ensure('abc'), '/berth-me/abc');
  const read = (file: string) => readFile(join(root, file), 'utf8');
  assert.equal(await read('berth-me/memory.max'), `${2 * gibi}`);
  assert.equal(await read('berth-me/cpu.weight'), '50');
  assert.equal(await read('berth-me/abc/cpu.idle'), '1');
  for (const above of ['', 'berth-me/']) assert.equal(await read(`${above}cgroup.subtree_control`), '+memory +cpu');
  assert.deepEqual(await groups.list(), ['abc']);
});

test('a group that cannot be made is a fault in words of its own: the engine is well', async () => {
  const { kernel } = await shown('cgroup.controllers', 'cgroup.subtree_control', 'berth-me');
  const limits = { limitBytes: gibi, shares: 512, startsIdle: false };
  const groups = createGroups({ owner: 'me', driver: 'cgroupfs', kernel, ...limits });
  const fault = (await groups.ensure('abc').catch(faultOf)) as EngineFault;
  assert.ok(fault instanceof EngineFault);
  assert.deepEqual([fault.kind, fault.message], ['unavailable', 'its control group cannot be made on this machine.']);
});

test('what is held is told without what the kernel keeps of files, in either version', async () => {
  const two = await shown('cgroup.controllers', 'g/memory.current', 'g/memory.low', 'g/memory.stat');
  await writeFile(join(two.root, 'g/memory.current'), '1000\n');
  await writeFile(join(two.root, 'g/memory.low'), '300\n');
  await writeFile(join(two.root, 'g/memory.stat'), 'anon 500\nfile 400\ninactive_file 150\nactive_file 250\n');
  assert.deepEqual(await two.kernel.memoryOf('g'), { heldBytes: 600, requestedBytes: 300 });
  const one = await shown('memory/cgroup.procs', 'cpu/cgroup.procs', 'memory/g/memory.stat');
  assert.equal(one.kernel.version, 1);
  await writeFile(join(one.root, 'memory/g/memory.usage_in_bytes'), '1000\n');
  await writeFile(join(one.root, 'memory/g/memory.soft_limit_in_bytes'), '9223372036854771712\n');
  await writeFile(
    join(one.root, 'memory/g/memory.stat'),
    'inactive_file 1\ntotal_inactive_file 150\ntotal_active_file 250\n',
  );
  assert.deepEqual(await one.kernel.memoryOf('g'), { heldBytes: 600, requestedBytes: 0 });
});

test('a group of all that a kill has left empty goes when the groups are listed', async () => {
  const { root, kernel } = await shown('cgroup.controllers');
  const options = {
    owner: 'me',
    driver: 'cgroupfs',
    kernel,
    limitBytes: gibi,
    shares: 1024,
    startsIdle: false,
  } as const;
  await mkdir(join(root, 'berth-me'));
  assert.deepEqual(await createGroups(options).list(), []);
  assert.deepEqual(await kernel.list(''), []);
});

test('where systemd keeps the groups it is asked, and nothing is made beside it', async () => {
  const { root, kernel } = await shown('cgroup.controllers');
  const asked: string[] = [];
  const run = async (argv: readonly string[]) => void asked.push(argv.join(' '));
  const options = {
    owner: 'me',
    driver: 'systemd',
    kernel,
    limitBytes: gibi,
    shares: 1024,
    startsIdle: false,
  } as const;
  const groups = createGroups({ ...options, run });
  assert.equal(await groups.ensure('abc'), 'berth-me-abc.slice');
  await groups.remove('abc');
  assert.deepEqual(asked, [
    `systemctl set-property --runtime berth-me.slice MemoryMax=${gibi} CPUWeight=100`,
    'systemctl stop berth-me-abc.slice',
    'systemctl stop berth-me.slice',
    'systemctl revert berth-me.slice',
  ]);
  assert.equal(await readFile(join(root, 'berth.slice/berth-me.slice/memory.max'), 'utf8').catch(() => 'none'), 'none');
});

test('a machine without control groups of memory has none that are ours', async () => {
  assert.equal(await openKernel(join(folder, 'nowhere')), undefined);
});
