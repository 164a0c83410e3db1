/** Who computes all the time gives way, by the kernel's own means. */
import assert from 'node:assert/strict';
import { cpus } from 'node:os';
import { afterEach, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { Workload } from '../../src/deployment/workload.ts';
import {
  type ControlGroup,
  findControlGroup,
  givesWay,
  letGiveWay,
  usedMsOf,
} from '../../src/engine/docker/control-groups.ts';
import { createProcessorLook } from '../../src/engine/docker/processor-watch.ts';
import { dockerContractor } from './docker-contractor.ts';
import { setStage } from './engine.ts';

const networkPool = '10.228.0.0/16';
const patienceMs = 60_000;

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

  async function groupOf({ name }: Workload): Promise<ControlGroup> {
    const { Id, State } = await docker.getContainer(name).inspect();
    const group = await findControlGroup(State.Pid, Id);
    assert.ok(group, 'no control group of it is found');
    return group;
  }

  test('a workload that computes all the time gives way until it is calm; one that waits does not', async () => {
    const scene = newScene();
    // A limit that it reaches on a machine that has other work, too.
    const resources = { requests: {}, limits: { cpuMillis: 100 } };
    const greedy = scene.workload('greedy', { command: ['spin', '1'], resources });
    const calm = scene.workload('calm', { command: ['idle'] });
    await scene.start(greedy, calm);
    const groups = [await groupOf(greedy), await groupOf(calm)];
    let skippedMs = 0;
    const look = createProcessorLook(docker, { owner, log }, () => performance.now() + skippedMs);

    const deadline = performance.now() + patienceMs;
    while ((await look()) === 0) {
      assert.ok(performance.now() < deadline, 'it never gives way');
      await delay(500);
    }
    assert.deepEqual(await Promise.all(groups.map(givesWay)), [true, false]);

    await docker.getContainer(greedy.name).pause();
    await look();
    skippedMs = 31_000;
    assert.equal(await look(), 0);
    assert.deepEqual(await Promise.all(groups.map(givesWay)), [false, false]);
    await docker.getContainer(greedy.name).unpause();
    assert.deepEqual(logged, ['workload gives way to others: it computes all the time', 'workload is calm again']);
  });

  test('while one that does not give way computes, one that does has nearly nothing of the processor', async () => {
    const scene = newScene();
    // More than there are processors: none is left to the other one by the way in which they are spread.
    const command = ['spin', `${cpus().length * 2}`];
    const resources = { requests: {}, limits: { cpuMillis: cpus().length * 1000 } };
    const [behind, first] = ['behind', 'first'].map((pod) => scene.workload(pod, { command, resources }));
    await scene.start(behind!, first!);
    const groups = [await groupOf(behind!), await groupOf(first!)] as const;
    await letGiveWay(groups[0], true);
    const used = async () => await Promise.all(groups.map(usedMsOf));
    const [behindBefore = 0, firstBefore = 0] = await used();
    for (const deadline = performance.now() + patienceMs; ; ) {
      const [behindAfter = 0, firstAfter = 0] = await used();
      const [ofBehind, ofFirst] = [behindAfter - behindBefore, firstAfter - firstBefore];
      if (ofFirst > 1000) {
        assert.ok(ofBehind < ofFirst / 5, `${ofBehind} ms beside ${ofFirst} ms`);
        return;
      }
      assert.ok(performance.now() < deadline, 'nobody computes');
      await delay(100);
    }
  });

  test('a service that starts anew finds who gives way', async () => {
    const scene = newScene();
    const idle = scene.workload('idle', { command: ['idle'] });
    await scene.start(idle);
    await letGiveWay(await groupOf(idle), true);
    assert.equal(await createProcessorLook(docker, { owner, log })(), 1);
  });
});
