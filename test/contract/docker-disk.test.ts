/**
 * Writes of containers outside of their volumes are found in every writable place, regardless of the time of the first
 * look.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type Docker from 'dockerode';
import { networkName } from '../../src/engine/docker/names.ts';
import { workloadLabels } from '../../src/engine/labels.ts';
import { until } from '../scenarios/berth.ts';
import { dockerContractor, limitsVolumes } from './docker-contractor.ts';
import { setStage } from './engine.ts';

const mebibyte = 2 ** 20;

describe('the disk on docker', {
  skip: limitsVolumes ? false : 'the engine’s folders can be read by root alone',
}, () => {
  let docker: Docker;
  let owner: string;
  const { contractor, newScene } = setStage(async () => {
    const made = await dockerContractor();
    ({ docker, owner } = made);
    return made;
  });

  for (const file of ['/etc/hosts', '/etc/hostname', '/etc/resolv.conf'])
    test(`what is written into ${file} counts, though the container was first looked at before its start`, async () => {
      const scene = newScene();
      const holder = scene.workload('holder');
      await scene.execute({ kind: 'create-network' });
      const container = await docker.createContainer({
        name: holder.name,
        Image: holder.image,
        Labels: workloadLabels(owner, scene.id, holder),
        Cmd: ['hold', file, String(24 * mebibyte)],
        HostConfig: { NetworkMode: networkName(scene.id) },
      });
      const usedBytes = async () => {
        const uses = await contractor().engine.disk.use();
        return uses.find((use) => use.kind === 'workload' && use.deploymentId === scene.id)?.usedBytes;
      };
      // The engine knows a container before it has made the files that it mounts into it.
      assert.equal((await container.inspect()).HostsPath, '');
      // After a long walk, there is a pause without looks at new containers.
      await until('it is looked at', async () => (await usedBytes()) !== undefined);
      assert.ok((await usedBytes())! < mebibyte);
      await container.start();
      await until(`what it has written is seen`, async () => (await usedBytes())! >= 24 * mebibyte);
    });
});
