import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Docker from 'dockerode';
import type { Owned } from '../../src/engine/engine.ts';
import { pinnedAmong, verifiedName } from '../../src/engine/images/verified-names.ts';
import { login, type Registry, startRegistry } from '../contract/registry.ts';
import { listing, removeBrought } from '../support/images.ts';
import { webYaml } from './applications.ts';
import { type Berth, createBerth, until } from './berth.ts';

let berth: Berth;
let registry: Registry;
const docker = new Docker();
before(async () => {
  const { Arch: architecture } = await docker.version();
  registry = await startRegistry({ architecture, foreignArchitecture: 'none', needsLogin: true });
  berth = await createBerth(listing(registry));
  await berth.serve();
});
after(async () => {
  await berth.destroy();
  await registry.close();
  await removeBrought(docker, registry.host);
});

const yaml = (name: string, image: string, token?: string) => {
  const { host } = registry;
  const { username } = login;
  const line = `\n  registryLogin: { registry: "${host}", username: ${username}, personalAccessToken: ${token} }`;
  return webYaml(name, 'never', [])
    .replace('node:26-slim', image)
    .replace('\n  pods:', `${token ? line : ''}\n  pods:`);
};

test("a private image that one tenant's login brought to the host is refused to another tenant", async () => {
  const image = `${registry.host}/good:1`;
  const owner = await berth.start(yaml('owner', image, login.personalAccessToken));
  // It has no program: that it comes so far is what counts here.
  const { message } = await berth.reach(owner, 'failed');
  assert.doesNotMatch(message, /registry|pull|login/i);
  const { RepoTags } = await docker.getImage(verifiedName(image)!).inspect();
  const workloadsOf = (owned: Owned[]) => owned.filter(({ kind }) => kind === 'workload').map(({ name }) => name);
  const { owned: ownersOwn } = await berth.inventory();

  for (const [name, reference, token] of [
    ['by-tag', image, undefined],
    ['by-digest', pinnedAmong(RepoTags, image)!, undefined],
    ['by-guess', image, 'wrong'],
  ] as const) {
    const stranger = await berth.start(yaml(name, reference, token));
    // On a busy machine, a late registry counts as unreachable, and the request is repeated.
    await until(`the registry refuses it to ${name}`, async () => {
      const { state, message } = await berth.status(stranger);
      assert.notEqual(state, 'running', name);
      return message?.includes(`The registry ${registry.host} refuses access to ${reference}`);
    });
    const { owned } = await berth.inventory();
    assert.deepEqual(workloadsOf(owned), workloadsOf(ownersOwn), name);
    await berth.remove(stranger);
  }
  assert.ok(!berth.log().includes(login.personalAccessToken), 'no login in the log');
  await berth.remove(owner);
});
