/** Reports about workloads that were ready and no longer are, without visits. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type Docker from 'dockerode';
import type { Workload } from '../../src/deployment/workload/workload.ts';
import { createDockerEngine } from '../../src/engine/docker/docker.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { until } from '../scenarios/berth.ts';
import { dockerContractor, networkPool } from './docker-contractor.ts';
import { setStage } from './engine.ts';
import { buildImage } from './image.ts';
import { createScene, type Scene } from './scene.ts';

describe('who was ready', () => {
  let docker: Docker;
  /** Like the stage's engine, but with more frequent probes. */
  let engine: Engine;
  const received: string[] = [];
  const stop = new AbortController();
  const { contractor, newScene } = setStage(async () => {
    const made = await dockerContractor();
    const { owner } = made;
    ({ docker } = made);
    engine = createDockerEngine({ docker, owner, networkPool, stopSeconds: 1, minPeriodMs: 100 });
    return made;
  });
  before(() => engine.watch((deploymentId) => received.push(deploymentId), stop.signal));
  after(() => stop.abort());

  const sceneWatched = (): Scene => createScene(engine, contractor().image, newScene().id);
  const run = async ({ name }: Workload, ...Cmd: string[]) => {
    const exec = await docker.getContainer(name).exec({ Cmd });
    (await exec.start({ Detach: true })).destroy();
  };
  /** Waits for an event after which the workload is seen so. A late event of its start may come first. */
  const hear = async (scene: Scene, workload: Workload, isReady: boolean) =>
    await until(`an event says that it is ${isReady ? '' : 'not '}ready`, async () => {
      if (!received.includes(scene.id)) return undefined;
      received.length = 0;
      const seen = await scene.find(workload);
      return seen?.isReady === isReady ? seen : undefined;
    });
  const serving = async (changes: Partial<Workload>): Promise<[Scene, Workload]> => {
    const scene = sceneWatched();
    const script = 'httpd -p 8080 -h /www; exec sleep 100000';
    const web = scene.workload('web', { entrypoint: ['/bin/sh', '-c', script], command: [], ...changes });
    await scene.start(web);
    await scene.ready(web);
    // Its start is reported too.
    await until('the start is reported', async () => received.includes(scene.id));
    received.length = 0;
    return [scene, web];
  };
  const times = { initialDelaySeconds: 0, periodSeconds: 1, timeoutSeconds: 20, failureThreshold: 2 };
  const stopServer = 'for at in /proc/[0-9]*; do case "$(cat $at/cmdline)" in httpd*) kill ${at#/proc/};; esac; done';

  test('and stops listening is reported, and again when it listens', async () => {
    const [scene, web] = await serving({});
    await run(web, '/bin/sh', '-c', stopServer);
    const deaf = await hear(scene, web, false);
    assert.equal(deaf.phase, 'running');
    assert.match(deaf.notReadyBecause ?? '', /^does not listen on port 8080/);
    await run(web, '/bin/httpd', '-p', '8080', '-h', '/www');
    await hear(scene, web, true);
  });

  test('and fails the check by its command is reported, and again when it passes', async () => {
    const command = ['/bin/test', '!', '-e', '/tmp/sick'];
    const [scene, web] = await serving({ readiness: { kind: 'command', command, ...times } });
    await run(web, '/bin/touch', '/tmp/sick');
    const sick = await hear(scene, web, false);
    assert.equal(sick.notReadyBecause, 'health check `test` exits with 1');
  });

  test('and fails the check of its image is reported', async () => {
    const image = await buildImage(docker, {
      name: 'wavering',
      changes: ['HEALTHCHECK CMD ["/bin/test","!","-e","/tmp/sick"]'],
    });
    const [scene, web] = await serving({ image, readiness: { kind: 'running' } });
    await run(web, '/bin/touch', '/tmp/sick');
    const sick = await hear(scene, web, false);
    assert.equal(sick.notReadyBecause, 'the health check of its image fails');
  });
});
