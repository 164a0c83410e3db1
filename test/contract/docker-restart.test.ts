/** The engine's own end and return. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { endRequests } from '../../src/engine/docker/connect-docker.ts';
import { createDockerEngine, type DockerEngine } from '../../src/engine/docker/docker.ts';
import { EngineFault } from '../../src/engine/engine.ts';
import { until } from '../scenarios/berth.ts';
import { createPrivateEngine, type PrivateEngine } from '../scenarios/private-engine.ts';
import { openTestImages } from '../support/images.ts';
import { networkPool } from './docker-contractor.ts';
import { buildImage } from './image.ts';
import { type Registry, startRegistry } from './registry.ts';
import { createScene, type Scene } from './scene.ts';

describe('docker engine: its restart', () => {
  let daemon: PrivateEngine;
  let engine: DockerEngine;
  let scene: Scene;
  let registry: Registry;
  let images: Awaited<ReturnType<typeof openTestImages>>;
  before(async () => {
    daemon = await createPrivateEngine();
    const image = await buildImage(daemon.docker, { name: 'contract' });
    const options = { architecture: 'amd64', foreignArchitecture: 'none', needsLogin: false };
    registry = await startRegistry({ ...options, address: daemon.host.outsideAddress });
    images = await openTestImages([registry.host], { gateHost: daemon.host.outsideAddress });
    const docker = endRequests(daemon.docker);
    engine = createDockerEngine({ docker, owner: 'test-restart', networkPool, images: images.images });
    scene = createScene(engine, image);
  });
  after(async () => {
    await daemon?.close();
    await images?.[Symbol.asyncDispose]();
    await registry?.close();
  });

  test('an engine that ends during a pull is not the fault of the registry', async () => {
    const { image, letGo } = await registry.hold('interrupted', 2);
    const pulling = engine.images.pull('x', { image });
    const isSilence = (error: unknown) => error instanceof EngineFault && /^The container engine/.test(error.message);
    const refused = assert.rejects(pulling, isSilence);
    await until('its layers are requested', async () => registry.layersServed() > 0);
    // The engine gets an image only when all layers are here.
    await daemon.stop('SIGTERM');
    letGo();
    await refused;
    await daemon.start();
  });

  for (const [words, signal] of [
    ['was killed', 'SIGKILL'],
    ['has ended', 'SIGTERM'],
  ] as const) {
    test(`watchers are notified of every deployment when an engine that ${words} is back`, async () => {
      const stop = new AbortController();
      const received = new Set<string>();
      const job = scene.job(signal.toLowerCase(), 'exit', '0');
      await scene.start(job);
      await scene.until(job, ({ phase }) => phase === 'exited');
      engine.watch((deploymentId) => received.add(deploymentId), stop.signal);
      try {
        await daemon.stop(signal);
        const isSilence = (error: unknown) => error instanceof EngineFault && error.kind === 'unavailable';
        await assert.rejects(engine.ping(), isSilence);
        await assert.rejects(scene.observe(), isSilence);
        received.clear();
        await daemon.start();
        await until('it hears of the deployment', async () => received.has(scene.id));
      } finally {
        stop.abort();
      }
    });
  }
});
