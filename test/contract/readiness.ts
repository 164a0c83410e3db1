/** When a workload is ready, why it is not, and which listeners are notified. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stage } from './engine.ts';
import { port, statusPath } from './program.ts';

export function readinessContract({ contractor, newScene }: Stage): void {
  test('a job is ready when it has exited with 0', async () => {
    const scene = newScene();
    const job = scene.job('migrate', 'exit', '0');
    await scene.start(job);
    const observed = await scene.ready(job);
    assert.deepEqual([observed.phase, observed.lastExit?.code], ['exited', 0]);
  });

  test('a job that exits with 3 is never ready and says so', async () => {
    const scene = newScene();
    const job = scene.job('migrate', 'exit', '3');
    await scene.start(job);
    const observed = await scene.until(job, ({ phase, restarts }) => phase === 'exited' && restarts >= 3);
    assert.deepEqual([observed.isReady, observed.lastExit?.code], [false, 3]);
    assert.match(observed.notReadyBecause ?? '', /exited with code 3/);
  });

  test('a service that exits is started again and says with which code it ended', async () => {
    const scene = newScene();
    const web = scene.workload('web', { command: ['exit', '1'] });
    await scene.start(web);
    const observed = await scene.until(web, ({ restarts, lastExit }) => restarts >= 1 && lastExit !== undefined);
    assert.deepEqual([observed.isReady, observed.lastExit?.code], [false, 1]);
    assert.match(observed.notReadyBecause ?? '', /exited with code 1/);
    assert.match(observed.lastExit?.reason ?? '', /^exited with code 1$/);
  });

  test('a workload on another port is not ready and says on which it listens, since when it does nothing else', async () => {
    const scene = newScene();
    const web = scene.workload('web', { readiness: { kind: 'port', port: 9999 } });
    await scene.start(web);
    const observed = await scene.until(web, ({ stuck }) => stuck !== undefined);
    assert.equal(observed.isReady, false);
    assert.equal(observed.notReadyBecause, `listens on ${port}, not on 9999`);
    assert.equal(observed.stuck?.by, 'listening');
    // Counted back from the clock, by one that does not jump: the same of two looks, but for a rounded millisecond. A
    // machine that stands still between the two clocks makes it another one for that look.
    let { since } = observed.stuck!;
    await scene.until(web, ({ stuck }) => {
      const before = since;
      since = stuck?.since ?? 0;
      return Math.abs(since - before) <= 2;
    });
  });

  test('a health check decides: 2xx and 3xx are healthy, 500 is not', async () => {
    const scene = newScene();
    const check = (status: number) => ({
      kind: 'http' as const,
      path: statusPath(status),
      port,
      initialDelaySeconds: 0,
      periodSeconds: 10,
      timeoutSeconds: 5,
      failureThreshold: 3,
    });
    const well = scene.workload('well', { readiness: check(204) });
    const moved = scene.workload('moved', { readiness: check(302) });
    const sick = scene.workload('sick', { readiness: check(500) });
    await scene.start(well, moved, sick);
    await scene.ready(well);
    await scene.ready(moved);
    const observed = await scene.until(sick, ({ notReadyBecause }) => /answered/.test(notReadyBecause ?? ''));
    assert.equal(observed.isReady, false);
    assert.equal(observed.notReadyBecause, `health check ${statusPath(500)} answered 500`);
    assert.equal(observed.healthCheckBody, 'it is 500');
    assert.equal(observed.stuck?.by, 'health-check');
  });

  test('a command in the container decides: what ends with 0 is ready, what ends with 3 is not, and says so', async () => {
    const scene = newScene();
    const check = (...command: string[]) => ({
      kind: 'command' as const,
      command,
      initialDelaySeconds: 0,
      periodSeconds: 10,
      timeoutSeconds: 20,
      failureThreshold: 3,
    });
    const well = scene.workload('well', { readiness: check('/bin/contract', 'print-arguments', 'it works') });
    const sick = scene.workload('sick', { readiness: check('/bin/contract', 'exit', '3') });
    await scene.start(well, sick);
    await scene.ready(well);
    const observed = await scene.until(sick, ({ stuck }) => stuck !== undefined);
    assert.deepEqual([observed.isReady, observed.stuck?.by], [false, 'health-check']);
    assert.equal(observed.notReadyBecause, 'health check `contract` exits with 3');
  });

  test('a worker without ports is ready once its command says so', async () => {
    const scene = newScene();
    const times = { initialDelaySeconds: 0, periodSeconds: 10, timeoutSeconds: 20, failureThreshold: 3 };
    const command = ['/bin/contract', 'exit', '0'];
    const worker = scene.workload('worker', {
      command: ['idle'],
      ports: [],
      readiness: { kind: 'command', command, ...times },
    });
    await scene.start(worker);
    assert.equal((await scene.ready(worker)).phase, 'running');
  });

  test('a worker without ports is ready once it runs', async () => {
    const scene = newScene();
    const worker = scene.workload('worker', { command: ['idle'], ports: [], readiness: { kind: 'running' } });
    await scene.start(worker);
    assert.equal((await scene.ready(worker)).phase, 'running');
  });

  test('waiting for a change ends when a workload becomes ready', async () => {
    const scene = newScene();
    const web = scene.workload('web', { command: ['serve', String(port), '0.7'] });
    await scene.start(web);
    const tooLate = AbortSignal.timeout(300_000);
    for (let isReady = false; !isReady; ) {
      const observed = await scene.observe();
      isReady = observed.workloads.every((workload) => workload.isReady);
      if (!isReady) await contractor().engine.change(scene.id, observed, 600_000, tooLate);
      assert.ok(!tooLate.aborted, JSON.stringify(observed));
    }
  });

  test('waiting for a change ends after its time, and at the abort', async () => {
    const scene = newScene();
    const observed = await scene.observe();
    const begin = performance.now();
    await contractor().engine.change(scene.id, observed, 50, new AbortController().signal);
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    await contractor().engine.change(scene.id, observed, 600_000, abort.signal);
    assert.ok(performance.now() - begin < 300_000);
  });

  test('watchers are notified of a workload that starts', async () => {
    const scene = newScene();
    const stop = new AbortController();
    const received = new Promise<void>((resolve) =>
      contractor().engine.watch((deploymentId) => deploymentId === scene.id && resolve(), stop.signal),
    );
    await scene.start(scene.workload('web'));
    await received;
    stop.abort();
  });
}
