import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { workloadUses } from './usage.ts';
import { createMemoryWorld, type MemoryContainer } from './world.ts';

const limits = { cpuMillis: 500, memoryBytes: 2 ** 28 };

function worldWith(pod: string, startedAt: number) {
  const world = createMemoryWorld({});
  const workload = { pod, revision: 1, replica: 0, resources: { requests: {}, limits } };
  const container = { owner: 'me', deploymentId: 'abc', phase: 'running', workload, startedAt };
  world.containers.set(pod, container as unknown as MemoryContainer);
  return world;
}

test('simulated usage is plausible: never above a limit, and counters never decrease', () => {
  const instant = fc.nat(2_000_000_000_000);
  fc.assert(
    fc.property(fc.string(), instant, fc.array(fc.nat(5_000_000), { minLength: 2 }), (pod, startedAt, steps) => {
      const world = worldWith(pod, startedAt);
      let now = startedAt;
      let before = { cpuMs: 0, receivedBytes: 0, sentBytes: 0 };
      for (const step of steps) {
        now += step;
        const [use] = workloadUses(world, 'me', now);
        assert.deepEqual(use, workloadUses(world, 'me', now)[0]);
        assert.ok(use && use.memoryBytes >= 0 && use.memoryBytes <= limits.memoryBytes, JSON.stringify(use));
        const slack = 1e-3;
        assert.ok(use.cpuMs - before.cpuMs <= (step * limits.cpuMillis) / 1_000 + slack);
        for (const key of ['cpuMs', 'receivedBytes', 'sentBytes'] as const)
          assert.ok(use[key] >= before[key] - slack, key);
        before = use;
      }
    }),
  );
});
