/** Containers that compute continuously yield, by the kernel's own means. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { afterEach, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { Workload } from '../../src/deployment/workload/workload.ts';
import {
  type ControlGroup,
  findControlGroup,
  isYielding,
  setYielding,
  usedMsOf,
} from '../../src/engine/docker/groups/container-group.ts';
import { createProcessorCheck } from '../../src/engine/docker/processor/processor-watch.ts';
import { dockerContractor } from './docker-contractor.ts';
import { setStage } from './engine.ts';

const networkPool = '10.228.0.0/16';

/** One that this machine lets its processes have. */
async function oneProcessor(): Promise<string> {
  const status = await readFile('/proc/self/status', 'utf8');
  return /^Cpus_allowed_list:\s*(\d+)/m.exec(status)![1]!;
}

describe('the processor on docker', () => {
  let docker: Docker;
  let owner: string;
  const logged: string[] = [];
  const log = { info: (_: object, message: string) => logged.push(message), error: assert.ifError };
  const { newScene } = setStage(async () => {
    const made = await dockerContractor({ pool: networkPool });
    ({ docker, owner } = made);
    return made;
  });
  afterEach(() => logged.splice(0));

  /**
   * The kernel may fail to freeze a container that has just used up its share. The engine then reports an error, and
   * the request is repeated.
   */
  async function pause({ name }: Workload): Promise<void> {
    const container = docker.getContainer(name);
    while (!(await container.inspect()).State.Paused) await container.pause().catch(() => delay(100));
  }

  async function groupOf({ name }: Workload): Promise<ControlGroup> {
    const { Id, State } = await docker.getContainer(name).inspect();
    const group = await findControlGroup(State.Pid, Id);
    assert.ok(group, 'no control group of it is found');
    return group;
  }

  test('a workload that computes all the time yields until it is calm; one that waits does not', async () => {
    const scene = newScene();
    // A limit that it reaches on a machine that has much other work, too.
    const resources = { requests: {}, limits: { cpuMillis: 50 } };
    const greedy = scene.workload('greedy', { command: ['spin', '1'], resources });
    const calm = scene.workload('calm', { command: ['idle'] });
    await scene.start(greedy, calm);
    const groups = [await groupOf(greedy), await groupOf(calm)];
    let skippedMs = 0;
    const look = createProcessorCheck(docker, { owner, log }, () => performance.now() + skippedMs);

    while ((await look()) === 0) await delay(500);
    assert.deepEqual(await Promise.all(groups.map(isYielding)), [true, false]);

    await pause(greedy);
    await look();
    skippedMs = 31_000;
    assert.equal(await look(), 0);
    assert.deepEqual(await Promise.all(groups.map(isYielding)), [false, false]);
    await docker.getContainer(greedy.name).unpause();
    assert.deepEqual(logged, [
      'workload yields CPU to others because of continuous use',
      'workload has its normal CPU priority again',
    ]);
  });

  test('while a container with priority computes, one that yields gets almost no processor time', async () => {
    const scene = newScene();
    // All on one processor: how the kernel spreads them over several is another thing, and depends on what else runs.
    const command = ['spin', '2'];
    const [behind, first] = ['behind', 'first'].map((pod) => scene.workload(pod, { command })) as [Workload, Workload];
    await scene.start(behind, first);
    for (const { name } of [behind, first])
      await docker.getContainer(name).update({ CpusetCpus: await oneProcessor() });
    const groups = [await groupOf(behind), await groupOf(first)] as const;
    await setYielding(groups[0], true);
    const used = async () => await Promise.all(groups.map(usedMsOf));
    const [behindBefore = 0, firstBefore = 0] = await used();
    for (;;) {
      const [behindAfter = 0, firstAfter = 0] = await used();
      const [ofBehind, ofFirst] = [behindAfter - behindBefore, firstAfter - firstBefore];
      // Other processes may use the processor: these two are compared with each other instead of the clock.
      if (ofFirst > 1000) return assert.ok(ofBehind < ofFirst / 5, `${ofBehind} ms next to ${ofFirst} ms`);
      await delay(100);
    }
  });

  test('a restarted service finds the containers that yield', async () => {
    const scene = newScene();
    const idle = scene.workload('idle', { command: ['idle'] });
    await scene.start(idle);
    await setYielding(await groupOf(idle), true);
    assert.equal(await createProcessorCheck(docker, { owner, log })(), 1);
  });
});
