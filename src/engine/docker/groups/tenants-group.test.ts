import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { EngineFault } from '../../engine.ts';
import { faultOf } from '../faults.ts';
import { createTenantsGroup, type Kernel, openKernel } from './tenants-group.ts';

const gibi = 2 ** 30;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-groups-'));
});
after(async () => await rm(folder, { recursive: true }));

/** Creates files in the format of the kernel. They have no effect. */
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

test('the limit is written where either version of control groups reads it', async () => {
  const two = await shown('cgroup.controllers', 'cgroup.subtree_control');
  await createTenantsGroup({ owner: 'me', driver: 'cgroupfs', kernel: two.kernel, limitBytes: gibi }).ensure();
  assert.equal(await readFile(join(two.root, 'berth-me/memory.max'), 'utf8'), `${gibi}`);
  assert.equal(await readFile(join(two.root, 'cgroup.subtree_control'), 'utf8'), '+memory +cpu');
  const one = await shown('memory/cgroup.procs', 'cpu/cgroup.procs');
  await createTenantsGroup({ owner: 'me', driver: 'cgroupfs', kernel: one.kernel, limitBytes: gibi }).ensure();
  assert.equal(await readFile(join(one.root, 'memory/berth-me/memory.limit_in_bytes'), 'utf8'), `${gibi}`);
});

test('a group that cannot be made is a fault in words of its own: the engine is well', async () => {
  const { kernel } = await shown('cgroup.controllers', 'cgroup.subtree_control', 'berth-me');
  const group = createTenantsGroup({ owner: 'me', driver: 'cgroupfs', kernel, limitBytes: gibi });
  const fault = (await group.ensure().catch(faultOf)) as unknown as EngineFault;
  assert.ok(fault instanceof EngineFault);
  assert.deepEqual([fault.kind, fault.message], ['unavailable', 'its control group cannot be made on this machine.']);
});

test('a group goes with those that earlier releases made in it', async () => {
  const { root, kernel } = await shown('cgroup.controllers');
  await mkdir(join(root, 'berth-me/abc'), { recursive: true });
  await createTenantsGroup({ owner: 'me', driver: 'cgroupfs', kernel, limitBytes: gibi }).remove();
  assert.deepEqual(await readdir(root), ['cgroup.controllers']);
});

test('if systemd manages the groups it gets the commands, and a slice with containers stays', async () => {
  const { root, kernel } = await shown('cgroup.controllers');
  const requested: string[] = [];
  const run = async (argv: readonly string[]) => void requested.push(argv.join(' '));
  const group = createTenantsGroup({ owner: 'me', driver: 'systemd', kernel, limitBytes: gibi, run });
  await group.ensure();
  const slice = join(root, 'berth.slice/berth-me.slice');
  await mkdir(join(slice, 'docker-abc.scope'), { recursive: true });
  await writeFile(join(slice, 'memory.max'), `${gibi}\n`);
  await group.ensure();
  await group.remove();
  assert.deepEqual(requested.splice(0), [`systemctl set-property --runtime berth-me.slice MemoryMax=${gibi}`]);
  await rm(join(slice, 'docker-abc.scope'), { recursive: true });
  await group.remove();
  assert.deepEqual(requested, ['systemctl stop berth-me.slice', 'systemctl revert berth-me.slice']);
});

test('a machine without memory control groups has none of ours', async () => {
  assert.equal(await openKernel(join(folder, 'nowhere')), undefined);
});
