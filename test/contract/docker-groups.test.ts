/** The control group of all containers, on this machine's kernel. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import type Docker from 'dockerode';
import type { Workload } from '../../src/deployment/workload/workload.ts';
import { findControlGroup } from '../../src/engine/docker/groups/container-group.ts';
import { openTenantsGroup } from '../../src/engine/docker/groups/tenants-group.ts';
import { until } from '../scenarios/berth.ts';
import { dockerContractor } from './docker-contractor.ts';
import { setStage } from './engine.ts';
import { createVolume } from './scene.ts';

const mebi = 2 ** 20;
const allBytes = 160 * mebi;
const diskRate = { bytes: 50 * mebi, operations: 5_000 };

describe('control groups on docker', { skip: process.getuid?.() !== 0 && 'they are root’s to make' }, () => {
  let docker: Docker;
  let owner: string;
  const { contractor, newScene } = setStage(async () => {
    const made = await dockerContractor({ pool: '10.229.0.0/16', memory: { bytes: allBytes }, diskRate });
    ({ docker, owner } = made);
    return made;
  });

  const pidOf = async ({ name }: Workload) => (await docker.getContainer(name).inspect()).State.Pid;
  /** The file of the group of all containers with their limit of memory, found by a process in a group within it. */
  const limitFile = async ({ name }: Workload) => {
    const { Id, State } = await docker.getContainer(name).inspect();
    const { memory, version } = (await findControlGroup(State.Pid, Id))!;
    return join(dirname(memory), version === 1 ? 'memory.limit_in_bytes' : 'memory.max');
  };

  /** Shells that keep memory: each has a variable with a third more than so much. Says who is killed. */
  const keeping = (bytes: number, times = 1) => ({
    entrypoint: ['/bin/sh', '-c'],
    command: [
      `for i in $(seq ${times}); do
         (sh -c 'x=$(head -c ${bytes} /dev/zero | base64 -w0); echo kept; sleep 100000; echo' || echo lost) &
       done; wait`,
    ],
    ports: [],
    readiness: { kind: 'running' } as const,
  });

  test('a container is in the group of all, which has the limit', async () => {
    const scene = newScene();
    const web = scene.workload('web');
    await scene.start(web);
    assert.equal(Number(await readFile(await limitFile(web), 'utf8')), allBytes);
  });

  test('a limit that is gone, as after a restart of the machine, is set again when the service starts', async () => {
    const scene = newScene();
    const web = scene.workload('web');
    await scene.start(web);
    await writeFile(await limitFile(web), String(2 * allBytes));
    await openTenantsGroup(docker, owner, { bytes: allBytes });
    assert.equal(Number(await readFile(await limitFile(web), 'utf8')), allBytes);
  });

  test('when memory runs out, the workload above its request is killed, even if it has many small processes', async () => {
    const [victims, attackers] = [newScene(), newScene()];
    const limits = { memoryBytes: 512 * mebi };
    // One large process, within its request, and many small ones, far above theirs.
    const requests = { memoryBytes: 110 * mebi };
    const victim = victims.workload('db', { ...keeping(30 * mebi), resources: { requests, limits } });
    const attacker = attackers.workload('many', { ...keeping(3 * mebi, 40), resources: { requests: {}, limits } });
    await victims.start(victim);
    await until('the victim has its memory', async () => (await output(victim)).includes('kept'));
    const before = await pidOf(victim);
    await attackers.start(attacker);
    await until('one of the attacker is killed', async () => (await output(attacker)).includes('lost'));
    assert.equal(await pidOf(victim), before);
    assert.ok(!(await output(victim)).includes('lost'));
  });

  test('if the kernel does not allow groups, none are created, and this is reported', async () => {
    // The kernel takes paths of up to 4,096 bytes.
    const { group, obstacle } = await openTenantsGroup(docker, 'x'.repeat(5000));
    assert.equal(group, undefined);
    assert.match(obstacle!, /cannot be made on this machine \(ENAMETOOLONG/);
  });

  test('a container has its rate on the disk of its layer, and on the device of its volume', async () => {
    const scene = newScene();
    const web = scene.workload('web', { volumes: [{ volume: 'data', mountPath: '/srv' }] });
    await scene.execute({ kind: 'create-network' }, createVolume('data'));
    await scene.start(web);
    const { HostConfig } = await docker.getContainer(web.name).inspect();
    const limited = (HostConfig.BlkioDeviceWriteBps ?? []) as { Path: string; Rate: number }[];
    assert.deepEqual(new Set(limited.map(({ Rate }) => Rate)), new Set([diskRate.bytes]));
    const volumes = limited.filter(({ Path }) => Path.startsWith('/dev/loop'));
    assert.deepEqual([volumes.length, limited.length], [1, 2]);
  });

  async function output({ name }: Workload): Promise<string> {
    const lines = await contractor().engine.logs(name, { tail: 1000 });
    return lines.map(({ text }) => text).join('\n');
  }
});
