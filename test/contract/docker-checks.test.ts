/** Health checks that are commands, on Docker: who runs them, and what a hostile one can do, which is nothing to others. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type Docker from 'dockerode';
import type { Workload } from '../../src/deployment/workload/workload.ts';
import { dockerContractor } from './docker-contractor.ts';
import { setStage } from './engine.ts';

describe('a health check that is a command', () => {
  let docker: Docker;
  const { newScene } = setStage(async () => {
    const made = await dockerContractor();
    ({ docker } = made);
    return made;
  });

  const readiness = (command: string[], timeoutSeconds = 20): Workload['readiness'] => ({
    kind: 'command',
    command,
    initialDelaySeconds: 0,
    periodSeconds: 1,
    timeoutSeconds,
    failureThreshold: 3,
  });
  const shell = (script: string, timeoutSeconds?: number) => readiness(['/bin/sh', '-c', script], timeoutSeconds);
  /** Returns the container's processes whose command lines contain these words, from the engine's own listing. */
  const processes = async ({ name }: Workload, words: string): Promise<number> => {
    const { Processes } = (await docker.getContainer(name).top()) as { Processes: string[][] };
    return Processes.filter((row) => row.at(-1)!.includes(words)).length;
  };

  test('runs with the user, directory, environment and rights of the container, and no more', async () => {
    const scene = newScene();
    const script = [
      'echo $(id -u) $(pwd) $COLOUR',
      "grep -E '^(CapPrm|CapEff|NoNewPrivs|Seccomp):' /proc/self/status | tr -s '\\t\\n' ' '",
      'exit 4',
    ];
    const env = { COLOUR: 'green' };
    const settings = { user: '1000', workingDir: '/srv', env, readiness: shell(script.join('; ')) };
    const web = scene.workload('web', settings);
    await scene.start(web);
    const { notReadyBecause } = await scene.until(web, ({ stuck }) => stuck !== undefined);
    assert.equal(
      notReadyBecause,
      'health check `echo` exits with 4: 1000 /srv green CapPrm: 0000000000000000 CapEff: 0000000000000000 NoNewPrivs: 1 Seccomp: 2',
    );
  });

  test('of root has the seven capabilities of its container', async () => {
    const scene = newScene();
    const web = scene.workload('web', { readiness: shell('grep CapBnd /proc/self/status; exit 4') });
    await scene.start(web);
    const { notReadyBecause } = await scene.until(web, ({ stuck }) => stuck !== undefined);
    assert.match(notReadyBecause ?? '', /CapBnd: 0{13}4eb$/);
  });

  test('that does not exist is reported as such', async () => {
    const scene = newScene();
    const web = scene.workload('web', { readiness: readiness(['no-such-program']) });
    await scene.start(web);
    const { notReadyBecause } = await scene.until(web, ({ stuck }) => stuck !== undefined);
    assert.equal(
      notReadyBecause,
      'health check `no-such-program` cannot be run: its image does not contain this program',
    );
  });

  test('that hangs is given up, is reported, and does not run twice', async () => {
    const scene = newScene();
    const hanging = scene.workload('hanging', { readiness: shell('trap "" TERM; sleep 54321; exit 1', 1) });
    const well = scene.workload('well');
    await scene.start(hanging, well);
    const because = /^health check `(trap|sh)` (did not finish within 1 s|was aborted and has not ended yet)$/;
    for (let looks = 0; looks < 5; looks++) {
      await scene.until(hanging, ({ notReadyBecause }) => because.test(notReadyBecause ?? ''));
      assert.ok((await processes(hanging, 'sleep 54321')) <= 2);
    }
    await scene.ready(well);
  });

  test('that leaves children behind with its output open ends by its own code', async () => {
    const scene = newScene();
    const web = scene.workload('web', { readiness: shell('sleep 54321 & exit 0', 1) });
    await scene.start(web);
    await scene.ready(web);
  });

  test('that writes without end is stopped, and its pod is the only one that is not ready', async () => {
    const scene = newScene();
    const flood = scene.workload('flood', { readiness: shell('exec cat /dev/zero') });
    const well = scene.workload('well', { readiness: shell('exit 0') });
    await scene.start(flood, well);
    await scene.ready(well);
    const because = /^health check `exec` (writes endlessly|was aborted and has not ended yet)$/;
    const { notReadyBecause } = await scene.until(flood, ({ stuck }) => stuck !== undefined);
    assert.match(notReadyBecause ?? '', because);
  });

  test('that forks without end has the processes of its container alone', async () => {
    const scene = newScene();
    const bomb = scene.workload('bomb', { readiness: shell('f() { f | f & }; f; sleep 54321', 2) });
    const well = scene.workload('well', { readiness: shell('exit 0') });
    await scene.start(bomb);
    await scene.until(bomb, ({ stuck }) => stuck !== undefined);
    await scene.start(well);
    await scene.ready(well);
    assert.equal((await scene.find(bomb))?.isReady, false);
  });

  test('ends with its container', async () => {
    const scene = newScene();
    const web = scene.workload('web', { readiness: shell('sleep 54321', 60) });
    await scene.start(web);
    await scene.until(web, ({ phase }) => phase === 'running');
    await scene.execute({ kind: 'remove', name: web.name });
    assert.equal(await scene.find(web), undefined);
  });
});
