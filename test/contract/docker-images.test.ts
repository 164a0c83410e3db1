/** Making room on a real engine, with tiny images of a registry of our own and a threshold that is always exceeded. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type Docker from 'dockerode';
import { clearImages } from '../../src/control/clear-images.ts';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { createDockerEngine, type DockerEngine } from '../../src/engine/docker/docker.ts';
import { removeUnnamed } from '../../src/engine/docker/images/image-store.ts';
import { verifiedName } from '../../src/engine/images/verified-names.ts';
import { labelKeys } from '../../src/engine/labels.ts';
import { newId } from '../../src/lib/ids.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { openSqlite } from '../../src/store/database.ts';
import { recordPull } from '../../src/store/pulled-images.ts';
import { openTestImages, removeBrought } from '../support/images.ts';
import { networkPool } from './docker-contractor.ts';
import { type Registry, startRegistry } from './registry.ts';

const owner = `test-${newId()}`;

describe('docker engine: room for images', () => {
  let docker: Docker;
  let registry: Registry;
  let engine: DockerEngine;
  let images: Awaited<ReturnType<typeof openTestImages>>;

  before(async () => {
    docker = await connectDocker();
    const { Arch: architecture } = await docker.version();
    registry = await startRegistry({ architecture, foreignArchitecture: 'none', needsLogin: false });
    images = await openTestImages([registry.host]);
    engine = createDockerEngine({ docker, owner, networkPool, images: images.images });
  });
  after(async () => {
    for (const { Id } of await docker.listContainers({ all: true, filters: { label: [`berth.owner=${owner}`] } }))
      await docker.getContainer(Id).remove({ force: true });
    await removeBrought(docker, registry.host);
    await images?.[Symbol.asyncDispose]();
    await registry?.close();
  });

  test('pulled images leave by age, one with a container stays', async () => {
    const db = await openSqlite(':memory:');
    const pull = (image: string) => engine.images.pull('x', { image });
    const tag = `${registry.host}/good:1`;
    const first = await pull(tag);
    await registry.move();
    await removeBrought(docker, registry.host);
    const used = await pull(first.reference);
    const old = await pull(tag);
    assert.deepEqual([used.by, old.by], ['pull', 'pull']);
    await docker.createContainer({ Image: verifiedName(used.reference)!, Labels: { [labelKeys.owner]: owner } });
    const now = Date.now();
    await recordPull(db, [used.reference, old.image, old.reference], now - 3_600_000);
    // Other tests may build and remove images on this engine at the same time.
    const fromHere = async () =>
      (await engine.images.list()).filter(({ brought }) => brought.some((name) => name.startsWith(registry.host)));
    const before = await fromHere();
    assert.equal(before.length, 2);
    assert.equal(before.find(({ brought }) => brought.includes(used.reference))?.isInUse, true);

    const clear = () => clearImages({ engine, db, metrics: createMetrics(), now: () => now, maxUsed: 0 });
    assert.deepEqual(await clear(), [tag]);
    const left = await fromHere();
    assert.deepEqual(
      left.map(({ brought }) => brought),
      [[used.reference]],
    );
    assert.deepEqual(await clear(), []);
  });

  test('what a pull has left that was cut off before its end is removed, and nothing else', async () => {
    const resolving = AbortSignal.timeout(60_000);
    const { Arch: architecture } = await docker.version();
    const { image: tag, letGo } = await registry.hold('cut-off', 1);
    letGo();
    const resolved = await images.images.resolve({ image: tag }, { os: 'linux', architecture }, resolving);
    await using offer = await images.images.offer(resolved, { signal: resolving });
    const answer = await docker.pull(offer.reference, { authconfig: offer.auth });
    await new Promise<void>((resolve, reject) =>
      docker.modem.followProgress(answer, (error) => (error ? reject(error) : resolve())),
    );
    const { Id: id } = await docker.getImage(offer.reference).inspect();
    const { reference } = await engine.images.pull('x', { image: `${registry.host}/good:1` });
    await removeUnnamed(docker);
    assert.ok((await engine.images.list()).every((image) => image.id !== id));
    assert.deepEqual((await engine.observe('x', [reference])).images?.present, [reference]);
  });

  test('the engine itself refuses to remove an image that has come into use', async () => {
    const tag = `${registry.host}/good:1`;
    await engine.images.pull('x', { image: tag });
    const unused = (await engine.images.list()).find(({ brought }) => brought.includes(tag))!;
    assert.equal(unused.isInUse, false);
    await docker.createContainer({ Image: verifiedName(tag)!, Labels: { [labelKeys.owner]: owner } });
    assert.equal(await engine.images.remove(unused), false);
    assert.ok((await engine.images.list()).some(({ id }) => id === unused.id));
  });
});
