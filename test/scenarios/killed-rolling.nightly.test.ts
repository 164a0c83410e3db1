import { after, before } from 'node:test';
import Docker from 'dockerode';
import { programImage } from '../contract/image.ts';
import { type Registry, startRegistry } from '../contract/registry.ts';
import { listing, removeBrought } from '../support/images.ts';
import { saysPath, tinyYaml } from './applications.ts';
import { type Berth, createBerth } from './berth.ts';
import { testLives } from './lives.ts';

const docker = new Docker();
let berth: Berth;
let registry: Registry;
before(async () => {
  const { Arch: architecture } = await docker.version();
  const program = await programImage();
  registry = await startRegistry({ architecture, foreignArchitecture: 'none', needsLogin: false, program });
  berth = await createBerth(listing(registry), { isHooked: true });
  await berth.serve();
});
after(async () => {
  await berth.destroy();
  await removeImage();
  await registry.close();
});

const image = () => `${registry.host}/program:1`;

/** So that each life has to pull it. */
async function removeImage(): Promise<void> {
  await removeBrought(docker, registry.host);
}

testLives('two pods without volumes, their image from a registry', {
  berth: () => berth,
  yaml: (name, says) => tinyYaml(name, image(), says),
  whole: { path: saysPath, workloads: 2, volumes: 0 },
  prepare: removeImage,
});
