import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type Docker from 'dockerode';
import { deploymentLabels, labelKeys } from '../../labels.ts';
import { createUsageMeter } from './usage-meter.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-usage-'));
});
after(async () => await rm(folder, { recursive: true }));

/**
 * A machine on which so many containers run, as the kernel and the engine show it; records the requests to the engine.
 */
async function machine(count: number) {
  const root = await mkdtemp(join(folder, 'machine-'));
  const requested: string[] = [];
  const pids = new Map(Array.from({ length: count }, (_, index) => [`c${index}`, index + 1]));
  const processes = join(root, 'proc');
  async function start(id: string, pid: number) {
    pids.set(id, pid);
    const group = join(root, 'docker', id);
    for (const path of [group, join(processes, `${pid}`, 'net')]) await mkdir(path, { recursive: true });
    await writeFile(join(processes, `${pid}`, 'cgroup'), `0::/docker/${id}\n`);
    await writeFile(join(processes, `${pid}`, 'net/dev'), '');
    await writeFile(join(group, 'cpu.stat'), 'usage_usec 5000\n');
    await writeFile(join(group, 'memory.current'), '70\n');
    await writeFile(join(group, 'memory.stat'), '');
  }
  for (const [id, pid] of pids) await start(id, pid);
  const inspect = (id: string) => ({
    State: { Pid: pids.get(id), StartedAt: '2026-01-01T00:00:00Z' },
    HostConfig: {},
    Config: {
      Labels: {
        ...deploymentLabels('me', `of-${id}`),
        [labelKeys.pod]: 'web',
        [labelKeys.revision]: '1',
        [labelKeys.replica]: '0',
      },
    },
  });
  const docker = {
    async listContainers() {
      requested.push('list');
      return [...pids.keys()].map((Id) => ({ Id }));
    },
    getContainer: (id: string) => ({
      async inspect() {
        requested.push(id);
        return inspect(id);
      },
    }),
  } as unknown as Docker;
  const events = { mark: () => 0, hasChangedSince: () => false, isListening: () => true };
  const options = { owner: 'me', loops: undefined, events, uptime: () => 0, machine: { root, processes } };
  return { meter: createUsageMeter(docker, options), root, processes, start, asked: requested };
}

test('if one container has ended or was restarted, only that one is inspected again', async () => {
  const { meter, processes, start, asked } = await machine(3);
  assert.equal((await meter.workloads()).length, 3);
  assert.deepEqual(asked.splice(0), ['list', 'c0', 'c1', 'c2']);
  await rm(join(processes, '2'), { recursive: true });
  await start('c1', 22);
  assert.equal((await meter.workloads()).length, 2);
  assert.deepEqual(asked.splice(0), []);
  assert.equal((await meter.workloads()).length, 3);
  assert.deepEqual(asked.splice(0), ['list', 'c1']);
  await meter.workloads();
  assert.deepEqual(asked, []);
});

test('a container whose files cannot be read takes nothing from the others; where none can be read, that is a fault', async () => {
  const { meter, root, asked } = await machine(2);
  const spoil = async (id: string) => {
    await rm(join(root, 'docker', id, 'memory.current'));
    await mkdir(join(root, 'docker', id, 'memory.current'));
  };
  await spoil('c0');
  assert.deepEqual(
    (await meter.workloads()).map(({ deploymentId, cpuMs, memoryBytes }) => [deploymentId, cpuMs, memoryBytes]),
    [['of-c1', 5, 70]],
  );
  asked.splice(0);
  await meter.workloads();
  assert.deepEqual(asked, []);
  await spoil('c1');
  await assert.rejects(meter.workloads(), { code: 'EISDIR' });
});
