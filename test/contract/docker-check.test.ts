/** The present digests of tags, requested from a registry of our own. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type Docker from 'dockerode';
import { pin } from '../../src/config/values/image-names.ts';
import { type CheckTags, createTagCheck } from '../../src/control/visit/tag-check.ts';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { createDockerEngine, type DockerEngine } from '../../src/engine/docker/docker.ts';
import { EngineFault } from '../../src/engine/engine.ts';
import { verifiedName } from '../../src/engine/images/verified-names.ts';
import { openTestImages, removeBrought } from '../support/images.ts';
import { networkPool } from './docker-contractor.ts';
import { login, type Registry, startRegistry } from './registry.ts';

describe('what tags mean now, on Docker', () => {
  let docker: Docker;
  let registry: Registry;
  let closed: Registry;
  let engine: DockerEngine;
  let checkTags: CheckTags;
  let images: Awaited<ReturnType<typeof openTestImages>>;
  const clock = { now: Date.now() };

  before(async () => {
    docker = await connectDocker();
    const { Arch: architecture } = await docker.version();
    const options = { architecture, foreignArchitecture: 'none' };
    registry = await startRegistry({ ...options, needsLogin: false });
    closed = await startRegistry({ ...options, needsLogin: true });
    images = await openTestImages([registry.host, closed.host, 'localhost:1']);
    engine = createDockerEngine({
      docker,
      owner: 'test-checks',
      networkPool,
      images: images.images,
    });
    checkTags = createTagCheck({ images: images.images, engine, uptime: () => clock.now });
  });
  afterEach(() => removeBrought(docker, registry.host, closed.host));
  after(async () => {
    await images?.[Symbol.asyncDispose]();
    await registry?.close();
    await closed?.close();
  });

  const registryLogin = (host: string, personalAccessToken: string) => ({
    registryLogin: { registry: host, username: login.username, personalAccessToken },
  });
  const pull = async (image: string, more = {}) => [await engine.images.pull('checks', { image, ...more })];
  const check = (image: string, more = {}) => checkTags('checks', [{ image, ...more }]);
  const present = async (image: string) => (await engine.observe('checks', [image])).images?.present.length === 1;

  test('a pull returns its image, by a permanent reference', async () => {
    const image = `${registry.host}/good:1`;
    const [pulled] = await pull(image);
    assert.equal(pulled?.by, 'pull');
    assert.match(pulled?.reference ?? '', new RegExp(`^${registry.host}/good@sha256:[0-9a-f]{64}$`));
    const seen = await engine.observe('checks', [image, pulled!.reference]);
    assert.deepEqual([seen.images?.present.length, seen.images?.local.length], [2, 0]);
    assert.deepEqual(await pull(image), [{ image, reference: pulled!.reference, by: 'presence' }]);
  });

  test('a tag that has moved is noticed without a download, and the image that it was stays available', async () => {
    const image = `${registry.host}/good:1`;
    const [old] = await pull(image);
    assert.deepEqual(await check(image), [{ image, reference: old!.reference, by: 'registry' }]);
    await registry.move();
    const layers = registry.layersServed();
    const [moved] = await check(image);
    assert.notEqual(moved!.reference, old!.reference);
    assert.equal(registry.layersServed(), layers);
    assert.deepEqual([await present(old!.reference), await present(moved!.reference)], [true, false]);
    await pull(moved!.reference);
    assert.deepEqual([await present(old!.reference), await present(moved!.reference)], [true, true]);
  });

  test('a registry that does not answer is given up after two seconds, and not queried again for a minute', async () => {
    const image = `${registry.host}/silent:1`;
    const [{ reference } = { reference: '' }] = await pull(`${registry.host}/good:1`);
    for (const name of [image, pin(image, reference.split('@')[1]!)]) {
      const [, repo = '', tag = ''] = /^(.+):([^:]+)$/.exec(verifiedName(name)!)!;
      await docker.getImage(verifiedName(reference)!).tag({ repo, tag });
    }
    const begunAt = performance.now();
    assert.equal((await check(image))[0]?.by, 'presence');
    const waitedMs = performance.now() - begunAt;
    // It would wait for ever; a machine that does much else may need longer to give up.
    assert.ok(waitedMs > 1_900 && waitedMs < 30_000, `${waitedMs} ms`);

    const requests = registry.requests();
    assert.equal((await check(image))[0]?.by, 'presence');
    assert.equal((await check(`${registry.host}/good:1`))[0]?.by, 'presence');
    assert.equal(registry.requests(), requests);
    clock.now += 61_000;
    assert.equal((await check(`${registry.host}/good:1`))[0]?.by, 'registry');
  });

  test('an image that is not here is not to be had from a registry that cannot be reached', async () => {
    await assert.rejects(check('localhost:1/nothing:1'), isFault('registry-unreachable'));
  });

  test('a login is used for the check, and a refusal is a fault although the image is here', async () => {
    const image = `${closed.host}/good:1`;
    const [pulled] = await pull(image, registryLogin(closed.host, login.personalAccessToken));
    await assert.rejects(check(image), isFault('image-access-denied'));
    await assert.rejects(check(pulled!.reference), isFault('image-access-denied'));
    await assert.rejects(check(image, registryLogin(closed.host, 'wrong')), isFault('image-access-denied'));
    await assert.rejects(
      check(image, registryLogin(registry.host, login.personalAccessToken)),
      isFault('image-access-denied'),
    );
    const [checked] = await check(image, registryLogin(closed.host, login.personalAccessToken));
    assert.deepEqual(checked, { image, reference: pulled!.reference, by: 'registry' });
  });

  test('the beginning of an id does not name an image of the host', async () => {
    const [{ Id: id } = { Id: '' }] = await docker.listImages();
    assert.equal(await present(id.slice(0, 19)), false);
  });
});

function isFault(kind: EngineFault['kind']) {
  return (error: unknown) => {
    assert.ok(error instanceof EngineFault, String(error));
    assert.equal(error.kind, kind, `${error.message} (${(error.cause as Error | undefined)?.message})`);
    return true;
  };
}
