/** A user's image that declares volumes: the engine creates each of them for each container, with any options. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type Docker from 'dockerode';
import { EngineFault } from '../../src/engine/engine.ts';
import { isOwnedBy } from '../../src/engine/labels.ts';
import { dockerContractor } from '../contract/docker-contractor.ts';
import { setStage } from '../contract/engine.ts';
import { buildImage } from '../contract/image.ts';

describe('an image that declares', () => {
  let docker: Docker;
  let owner: string;
  const { newScene } = setStage(async () => {
    const made = await dockerContractor();
    ({ docker, owner } = made);
    return made;
  });
  const image = (count: number) => {
    const changes = Array.from({ length: count }, (_, index) => `VOLUME /v/${index}`);
    return buildImage(docker, { name: `volumes-${count}`, changes });
  };
  const made = async () => (await docker.listVolumes()).Volumes.filter(({ Labels }) => isOwnedBy(owner, Labels)).length;

  test('32 volumes gets them', async () => {
    const scene = newScene();
    const web = scene.workload('web', { image: await image(32) });
    await scene.start(web);
    await scene.ready(web);
    assert.equal(await made(), 32);
  });

  test('500 volumes gets none, and its owner sees the maximum', async () => {
    const scene = newScene();
    const before = await made();
    await assert.rejects(scene.start(scene.workload('web', { image: await image(500) })), (error) => {
      assert.ok(error instanceof EngineFault);
      assert.equal(error.kind, 'bad-request');
      assert.match(error.message, /declares 500 volumes; at most 32 are allowed/);
      return true;
    });
    assert.equal(await made(), before);
  });
});
