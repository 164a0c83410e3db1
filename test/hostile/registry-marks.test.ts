/**
 * A registry's answer to one tenant must not decide for another. Otherwise, a tenant could provoke an error that makes
 * all users run outdated images of the host for a minute.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type Docker from 'dockerode';
import { type CheckTags, createTagCheck } from '../../src/control/visit/tag-check.ts';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { createDockerEngine, type DockerEngine } from '../../src/engine/docker/docker.ts';
import { networkPool } from '../contract/docker-contractor.ts';
import { type Registry, startRegistry } from '../contract/registry.ts';
import { openTestImages, removeBrought } from '../support/images.ts';

describe('a registry that all use', () => {
  let docker: Docker;
  let registry: Registry;
  let engine: DockerEngine;
  let checkTags: CheckTags;
  let images: Awaited<ReturnType<typeof openTestImages>>;

  before(async () => {
    docker = await connectDocker();
    const { Arch: architecture } = await docker.version();
    registry = await startRegistry({ architecture, foreignArchitecture: 'none', needsLogin: false });
    images = await openTestImages([registry.host]);
    engine = createDockerEngine({ docker, owner: 'test-registry-marks', networkPool, images: images.images });
    checkTags = createTagCheck({ images: images.images, engine });
  });
  after(async () => {
    await removeBrought(docker, registry.host);
    await images?.[Symbol.asyncDispose]();
    await registry?.close();
  });

  const check = (who: string, repository: string) => checkTags(who, [{ image: `${registry.host}/${repository}:1` }]);
  /**
   * How a victim's image was found, although its tag has just moved. On a slow machine the registry is late for one or two,
   * each of whom remembers that; what an attacker had marked for all would be so for a minute.
   */
  const seenByVictim = async () => {
    await registry.move();
    let by: string | undefined;
    for (let victim = 0; victim < 20 && by !== 'registry'; victim++)
      by = (await check(`victim-${victim}`, 'good'))[0]?.by;
    return by;
  };

  for (const [what, repository] of [
    ['refuses the attacker after too many requests', 'busy'],
    ['answers the attacker that the image is missing', 'nothing'],
    ['does not answer the attacker at all', 'silent'],
  ] as const)
    test(`that ${what} is still queried for the tags of others`, async () => {
      await engine.images.pull('victim', { image: `${registry.host}/good:1` });
      await assert.rejects(check('attacker', repository));
      assert.equal(await seenByVictim(), 'registry');
    });

  test('that answers with an error is queried again by the client that got the error', async () => {
    await assert.rejects(check('tenant', 'busy'));
    assert.equal((await check('tenant', 'good'))[0]?.by, 'registry');
  });
});
