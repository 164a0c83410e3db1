/** Pulls, from a registry of our own. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { PulledBytes } from '../../src/deployment/deployment.ts';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { createDockerEngine, type DockerEngine } from '../../src/engine/docker/docker.ts';
import { createHostFacts } from '../../src/engine/docker/host/host-facts.ts';
import { createPull } from '../../src/engine/docker/images/pull.ts';
import { EngineFault } from '../../src/engine/engine.ts';
import { setUpImages } from '../../src/engine/images/local-images.ts';
import { until } from '../scenarios/berth.ts';
import { openTestImages, removeBrought } from '../support/images.ts';
import { networkPool } from './docker-contractor.ts';
import { login, type Registry, startRegistry } from './registry.ts';

describe('docker engine: pulls', () => {
  let registry: Registry;
  let closed: Registry;
  let engine: DockerEngine;
  let docker: Docker;
  let images: Awaited<ReturnType<typeof openTestImages>>;

  before(async () => {
    docker = await connectDocker();
    const { Arch: architecture } = await docker.version();
    const options = { architecture, foreignArchitecture: architecture === 'arm64' ? 'amd64' : 'arm64' };
    registry = await startRegistry({ ...options, needsLogin: false });
    closed = await startRegistry({ ...options, needsLogin: true });
    images = await openTestImages([registry.host, closed.host]);
    engine = createDockerEngine({ docker, owner: 'test-pulls', networkPool, images: images.images });
  });
  afterEach(() => removeBrought(docker, registry.host, closed.host));
  after(async () => {
    await images?.[Symbol.asyncDispose]();
    await registry?.close();
    await closed?.close();
  });

  type PullOptions = {
    from?: Registry;
    password?: string;
    /** The registry of the login, if it is not the one that is pulled from. */
    loginOf?: string;
    progress?: (done: number, bytes?: PulledBytes) => void;
  };

  function pull(repository: string, { from = registry, password, loginOf = from.host, progress }: PullOptions = {}) {
    const image = `${from.host}/${repository}`;
    const registryLogin = password && { registry: loginOf, username: login.username, personalAccessToken: password };
    return engine.images.pull('pulls', { image, ...(registryLogin && { registryLogin }) }, progress && { progress });
  }

  test('a pull reports its progress by bytes, growing to 1', async () => {
    const shares: number[] = [];
    const reported: (PulledBytes | undefined)[] = [];
    const isOnItsWay = (share: number) => share > 0.05 && share < 0.95;
    // Half of the layer arrives, and then more until progress is reported: Docker reports ten times a second at most,
    // when data arrives.
    const { letMore, letGo } = await registry.hold('halved', 2);
    const pulling = pull('halved:1', {
      progress: (done, bytes) => {
        shares.push(done);
        reported.push(bytes);
      },
    });
    await until('partial progress is reported', async () => {
      if (shares.some(isOnItsWay)) return true;
      await delay(300);
      letMore();
      return false;
    });
    letGo();
    await pulling;
    assert.deepEqual(
      shares,
      shares.toSorted((a, b) => a - b),
    );
    assert.equal(shares.at(-1), 1);
    assert.ok(shares.some(isOnItsWay));
    assert.ok(reported.some((bytes) => bytes && bytes.doneBytes > 0 && bytes.doneBytes < bytes.totalBytes));
    const { images } = await engine.observe('pulls', [`${registry.host}/halved:1`]);
    assert.equal(images?.present.length, 1);
  });

  test('the same image is pulled once for all who ask, each with progress', async () => {
    const before = registry.layersServed();
    const ends = [0, 0, 0];
    await Promise.all(
      ends.map((_, index) =>
        pull('good:1', {
          progress: (done) => {
            ends[index] = done;
          },
        }),
      ),
    );
    assert.deepEqual(ends, [1, 1, 1]);
    assert.equal(registry.layersServed() - before, 2);
  });

  test('an image that is here is not pulled again', async () => {
    await pull('good:1');
    const before = registry.layersServed();
    await pull('good:1');
    assert.equal(registry.layersServed(), before);
  });

  test('a private image needs its login, and gets it', async () => {
    await assert.rejects(pull('good:1', { from: closed }), isFault('image-access-denied', /add a registryLogin/));
    await assert.rejects(
      pull('good:1', { from: closed, password: 'wrong' }),
      isFault('image-access-denied', /refuses access to .* \(check the registryLogin/),
    );
    await pull('good:1', { from: closed, password: login.personalAccessToken });
  });

  test('a login is not shown to another registry', async () => {
    const options = { from: closed, password: login.personalAccessToken, loginOf: 'registry.example' };
    await assert.rejects(pull('good:1', options), isFault('image-access-denied', /add a registryLogin/));
  });

  test('a tag or a repository that does not exist is image-not-found', async () => {
    await assert.rejects(pull('good:2'), isFault('image-not-found', /good:2 does not exist in the registry/));
    await assert.rejects(pull('nothing:1'), isFault('image-not-found', /nothing:1 does not exist/));
  });

  test('an image for another processor is refused before any layer of it is here', async () => {
    await assert.rejects(pull('foreign:1'), isFault('image-wrong-architecture', /has linux\/\w+ only; this server is/));
  });

  test('a registry that limits pulls is not reported as an error of the configuration', async () => {
    await assert.rejects(pull('busy:1'), isFault('registry-unreachable', /rate limit/));
  });

  test('a registry that stops sending is given up, and holds up no other pull for longer', async () => {
    const pace = { patienceMs: 1_000, minBytesPerSecond: 1 };
    await using brisk = await openTestImages([registry.host], {}, { pace });
    const impatient = createDockerEngine({ docker, owner: 'test-pulls', networkPool, images: brisk.images });
    // More layers than an engine downloads at a time.
    const { image } = await registry.hold('stalled', 4);
    const before = registry.layersServed();
    const stalled = assert.rejects(
      impatient.images.pull('pulls', { image }),
      isFault('registry-unreachable', /stopped answering/),
    );
    await until('its layers are requested', async () => registry.layersServed() > before);
    // Uses a patient gate, because this process is also the registry, and may be suspended for a second.
    await pull('good:1');
    await stalled;
  });

  test('the pull of an image that does not fit is not started', async () => {
    const docker = await connectDocker();
    const options = { docker, owner: 'test-pulls', networkPool, images: images.images };
    const full = createDockerEngine({ ...options, diskFreeBytes: 2 ** 60 });
    const before = registry.layersServed();
    const pulling = full.images.pull('pulls', { image: `${registry.host}/good:1` });
    await assert.rejects(pulling, isFault('unavailable', /^Out of disk: the host has no space left for image/));
    assert.equal(registry.layersServed(), before);
  });

  test('a pull is aborted when the free disk space gets too small, long before any workload is stopped for it', async () => {
    // Running containers are stopped below half of the required free space.
    let roomBytes = 2 ** 40;
    const pullWithin = createPull({
      docker,
      images: images.images,
      localImages: setUpImages,
      hostFacts: createHostFacts(docker, () => performance.now()),
      roomBytes: async () => roomBytes,
    });
    const { image, letGo } = await registry.hold('filling', 2);
    const before = registry.layersServed();
    const pulling = assert.rejects(
      pullWithin(image, undefined),
      isFault('unavailable', /^Out of disk: the host has no space left for image/),
    );
    await until('its layers are requested', async () => registry.layersServed() > before);
    roomBytes = -1;
    await pulling;
    letGo();
    assert.deepEqual((await engine.observe('pulls', [image])).images?.present, []);
    roomBytes = 2 ** 40;
    assert.equal((await pullWithin(image, undefined)).by, 'pull');
  });

  test('an invalid name is a bad request, and not an image', async () => {
    const names = ['Capital:1', '../containers/json?all=1&x=', 'a/../../info', 'a b', ''];
    for (const image of names) {
      const pulling = engine.images.pull('pulls', { image });
      await assert.rejects(pulling, isFault('bad-request', /is not the name of an image/), image);
    }
    assert.deepEqual((await engine.observe('pulls', names)).images, { present: [], local: [] });
  });
});

function isFault(kind: EngineFault['kind'], words: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof EngineFault, String(error));
    assert.equal(error.kind, kind, `${error.message} (${(error.cause as Error | undefined)?.message})`);
    assert.match(`${error.message} (${error.hint})`, words);
    return true;
  };
}
