/** Control groups of deployments, on this machine's kernel. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type Docker from 'dockerode';
import type { Workload } from '../../src/deployment/workload/workload.ts';
import { firstScore } from '../../src/engine/docker/groups/goes-first.ts';
import type { Groups } from '../../src/engine/docker/groups/groups.ts';
import { createMemoryLook } from '../../src/engine/docker/groups/memory-watch.ts';
import { openGroups } from '../../src/engine/docker/groups/open.ts';
import { findControlGroup, letGiveWay } from '../../src/engine/docker/processor/control-groups.ts';
import { createProcessorLook } from '../../src/engine/docker/processor/processor-watch.ts';
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
  let groups: Groups;
  const { contractor, newScene } = setStage(async () => {
    const made = await dockerContractor({ pool: '10.229.0.0/16', memory: { bytes: allBytes }, diskRate });
    ({ docker, owner } = made);
    assert.ok(made.groups, 'the groups of this machine are not ours to make');
    groups = made.groups;
    return made;
  });
  const log = { info: () => {}, error: assert.ifError };

  const processesOf = async (id: string, { name }: Workload) => {
    const { Id } = await docker.getContainer(name).inspect();
    const folder = (await groups.kernel.list(groups.pathOf(id))).find((each) => each.includes(Id));
    return await groups.kernel.processesOf(`${groups.pathOf(id)}/${folder}`);
  };
  const scoresOf = async (id: string, workload: Workload) => {
    const pids = await processesOf(id, workload);
    return await Promise.all(pids.map(async (pid) => Number(await readFile(`/proc/${pid}/oom_score_adj`, 'utf8'))));
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

  test('a container is in the group of its deployment, in that of all, which has the limit', async () => {
    const scene = newScene();
    const web = scene.workload('web');
    await scene.start(web);
    assert.equal(await groups.kernel.limitOf(groups.place.path), allBytes);
    assert.ok((await processesOf(scene.id, web)).length > 0);
    assert.ok((await groups.list()).includes(scene.id));
  });

  test('a limit that is gone, as after a restart of the machine, is set again', async () => {
    const scene = newScene();
    await scene.start(scene.workload('web'));
    await groups.kernel.setLimit(groups.place.path, 2 * allBytes);
    await createMemoryLook(groups, { log })();
    assert.equal(await groups.kernel.limitOf(groups.place.path), allBytes);
  });

  test('when memory runs out, whoever holds more than was requested is killed, though spread over small processes', async () => {
    const [victims, attackers] = [newScene(), newScene()];
    const limits = { memoryBytes: 512 * mebi };
    // One large process, within its request; beside it many small ones, far above theirs.
    const requests = { memoryBytes: 110 * mebi };
    const victim = victims.workload('db', { ...keeping(30 * mebi), resources: { requests, limits } });
    const attacker = attackers.workload('many', { ...keeping(3 * mebi, 40), resources: { requests: {}, limits } });
    await victims.start(victim);
    await until('the victim has its memory', async () => (await output(victim)).includes('kept'));
    const before = await processesOf(victims.id, victim);
    const look = createMemoryLook(groups, { log });
    await attackers.start(attacker);
    await until('one of the attacker is killed', async () => {
      await look();
      return (await output(attacker)).includes('lost');
    });
    assert.deepEqual(await processesOf(victims.id, victim), before);
  });

  test('when memory is tight, the deployment furthest above its requests goes first, until there is enough again', async () => {
    const [modest, greedy] = [newScene(), newScene()];
    const calm = modest.workload('calm', keeping(12 * mebi));
    const large = greedy.workload('large', keeping(40 * mebi));
    await modest.start(calm);
    await greedy.start(large);
    await until('both have their memory', async () =>
      (await Promise.all([output(calm), output(large)])).every((text) => text.includes('kept')),
    );
    const ordinary = await scoresOf(modest.id, calm);
    const tight = { ...groups, limitBytes: 100 * mebi, limit: async () => {} };
    const look = createMemoryLook(tight, { log });
    assert.equal(await look(), 1);
    assert.ok((await scoresOf(greedy.id, large)).every((score) => score === firstScore));
    assert.ok((await scoresOf(modest.id, calm)).every((score) => score < firstScore));
    // A service that starts anew finds who goes first, and lets go of those who no longer do.
    await greedy.execute({ kind: 'remove', name: large.name });
    assert.equal(await createMemoryLook(groups, { log })(), 0);
    assert.deepEqual(await scoresOf(modest.id, calm), ordinary);
  });

  test('a deployment gives way to the others as a whole when one of its containers does', async () => {
    const scene = newScene();
    const idle = scene.workload('idle', { command: ['idle'] });
    await scene.start(idle);
    const { Id, State } = await docker.getContainer(idle.name).inspect();
    const group = await findControlGroup(State.Pid, Id);
    assert.ok(group);
    await letGiveWay(group, true);
    let skippedMs = 0;
    const look = createProcessorLook(docker, { owner, groups, log }, () => performance.now() + skippedMs);
    assert.equal(await look(), 1);
    assert.equal(await groups.kernel.isIdle(groups.pathOf(scene.id)), true);
    skippedMs = 31_000;
    assert.equal(await look(), 0);
    assert.equal(await groups.kernel.isIdle(groups.pathOf(scene.id)), false);
  });

  test('a new deployment may begin behind the others, until it has shown that it does not compute all the time', async () => {
    const scene = newScene();
    const idle = scene.workload('idle', { command: ['idle'] });
    const wishes = {
      owner,
      controlGroups: 'auto',
      memory: { bytes: allBytes },
      shares: 512,
      startsIdle: true,
    } as const;
    const { groups: eager } = await openGroups(docker, wishes);
    await eager!.ensure(scene.id);
    await scene.start(idle);
    let skippedMs = 0;
    const look = createProcessorLook(docker, { owner, groups, log }, () => performance.now() + skippedMs);
    await look();
    assert.equal(await groups.kernel.isIdle(groups.pathOf(scene.id)), true);
    skippedMs = 6_000;
    assert.equal(await look(), 0);
    assert.equal(await groups.kernel.isIdle(groups.pathOf(scene.id)), false);
  });

  test('where the kernel lets none be made, there are none, and that is said', async () => {
    const wishes = { controlGroups: 'auto', memory: { bytes: allBytes }, shares: 512, startsIdle: false } as const;
    // The kernel takes paths of up to 4,096 bytes.
    const { groups: none, obstacle } = await openGroups(docker, { owner: 'x'.repeat(5000), ...wishes });
    assert.equal(none, undefined);
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

  test('the group of a deployment goes with its network; one that a crash left is an orphan', async () => {
    const scene = newScene();
    const web = scene.workload('web');
    await scene.start(web);
    await scene.removeAll();
    assert.ok(!(await groups.list()).includes(scene.id));
    await groups.ensure(scene.id);
    const left = (await contractor().engine.listOwned()).filter(({ deploymentId }) => deploymentId === scene.id);
    assert.deepEqual(left, [{ kind: 'group', id: scene.id, name: scene.id, deploymentId: scene.id }]);
    await contractor().engine.removeOwned(left[0]!);
    assert.ok(!(await groups.list()).includes(scene.id));
  });

  async function output({ name }: Workload): Promise<string> {
    const lines = await contractor().engine.logs(name, { tail: 1000 });
    return lines.map(({ text }) => text).join('\n');
  }
});
