/** Readiness while the machine's clock and the engine's are hours apart: one was set since the containers started. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createDockerEngine } from '../../src/engine/docker/docker.ts';
import { dockerContractor, networkPool } from './docker-contractor.ts';
import { setStage } from './engine.ts';
import { port, statusPath } from './program.ts';
import { createScene } from './scene.ts';

const hour = 3_600_000;

describe('docker engine: a clock that was set', () => {
  let contractor: Awaited<ReturnType<typeof dockerContractor>>;
  setStage(async () => {
    contractor = await dockerContractor();
    return contractor;
  });

  for (const [direction, offsetMs] of [
    ['back', -3 * hour],
    ['forwards', 3 * hour],
  ] as const) {
    test(`a worker, a service and a health check become ready although the clock was set ${direction}`, async () => {
      const { docker, owner, image } = contractor;
      const now = () => Date.now() + offsetMs;
      const scene = createScene(createDockerEngine({ docker, owner, networkPool, now }), image);
      const check = { path: statusPath(200), periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 3 };
      const workloads = [
        scene.workload('worker', { command: ['idle'], ports: [], readiness: { kind: 'running' } }),
        scene.workload('service'),
        scene.workload('checked', { readiness: { kind: 'http', port, initialDelaySeconds: 1, ...check } }),
      ];
      await scene.start(...workloads);
      for (const workload of workloads) await scene.ready(workload);
      // A new observer sees no start of its own either.
      const newcomer = createScene(createDockerEngine({ docker, owner, networkPool, now }), image, scene.id);
      for (const workload of workloads) assert.equal((await newcomer.ready(workload)).restarts, 0);
      await scene.removeAll();
    });

    test(`who answers badly does so since he began, although the clock was set ${direction}`, async () => {
      const { docker, owner, image } = contractor;
      const now = () => Date.now() + offsetMs;
      const scene = createScene(createDockerEngine({ docker, owner, networkPool, now }), image);
      const check = { initialDelaySeconds: 0, periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 3 };
      const ill = scene.workload('ill', { readiness: { kind: 'http', port, path: statusPath(500), ...check } });
      await scene.start(ill);
      const { stuck } = await scene.until(ill, (observed) => observed.stuck !== undefined);
      assert.ok(Math.abs(stuck!.since - now()) < 60_000, `${(stuck!.since - now()) / 1000} s`);
      await scene.removeAll();
    });
  }
});
