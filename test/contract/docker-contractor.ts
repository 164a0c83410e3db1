/** Two installations on the machine's real Docker engine, with random owners, so that runs never meet. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { openEgress } from '../../src/deployment/workload/egress.ts';
import type { Tampering } from '../../src/deployment/workload/workload.ts';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import type { DiskRate } from '../../src/engine/docker/disk/disk-throttle.ts';
import { createDockerEngine, type DockerEngine } from '../../src/engine/docker/docker.ts';
import { startFirewall } from '../../src/engine/docker/firewall/firewall.ts';
import { presentBridges, removeFirewall } from '../../src/engine/docker/firewall/isolate.ts';
import { openTenantsGroup } from '../../src/engine/docker/groups/tenants-group.ts';
import type { Runtime } from '../../src/engine/docker/host/runtime.ts';
import { newId } from '../../src/lib/ids.ts';
import { openTestImages, removeBrought } from '../support/images.ts';
import type { Contractor } from './engine.ts';
import { buildImage } from './image.ts';
import { startRegistry } from './registry.ts';
import { contractEpoch } from './scene.ts';

/** File systems can be made and mounted by root alone. */
export const limitsVolumes = process.getuid?.() === 0;

export const networkPool = '10.206.0.0/16';

export type DockerContractor = Contractor & {
  engine: DockerEngine;
  docker: Docker;
  owner: string;
  volumesFolder: string;
  /** Where commands in containers are noted. */
  execs: string;
};

/** Files run at once: one that says which subnet is the lowest free one needs a `pool` for itself. */
export async function dockerContractor({
  pool = networkPool,
  runtime = 'runc',
  memory,
  diskRate,
}: {
  pool?: string;
  runtime?: Runtime;
  /** The memory limit of all deployments together. */
  memory?: { bytes: number };
  diskRate?: DiskRate;
} = {}): Promise<DockerContractor> {
  const docker = await connectDocker();
  const [owner, other] = [newOwner(), newOwner()];
  const options = {
    docker,
    networkPool: pool,
    runtime,
    gpus: 1,
    stopSeconds: 1,
    walkEveryMs: 0,
    ...(diskRate && { diskRate }),
  };
  const folder = await mkdtemp(join(tmpdir(), 'berth-volumes-'));
  const execs = join(folder, 'execs');
  const loops = (name: string) => ({
    directory: join(folder, name),
    isForNew: limitsVolumes,
    copies: join(folder, `${name}-copies`),
  });
  const firewall = await startFirewall({
    owner,
    readResolvers: async () => [],
    saveRules: async () => {},
    report: () => {},
    log: console,
    readBridges: () => presentBridges(docker, owner, openEgress),
  });
  const groupOf = async (owner: string) => {
    const { group } = await openTenantsGroup(docker, owner, memory);
    return group && { group };
  };
  const [ours, theirs] = [await groupOf(owner), await groupOf(other)];
  const { Arch: architecture } = await docker.version();
  const registry = await startRegistry({ architecture, foreignArchitecture: 'none', needsLogin: false });
  const opened = await openTestImages([registry.host, 'localhost:1']);
  const { images } = opened;
  const engine = createDockerEngine({
    ...options,
    epoch: () => contractEpoch,
    images,
    owner,
    execs,
    firewall,
    loops: loops('one'),
    ...ours,
  });
  const neighbour = createDockerEngine({
    ...options,
    owner: other,
    execs,
    loops: loops('two'),
    ...theirs,
  });
  const held: string[] = [];
  return {
    docker,
    owner,
    engine,
    neighbour,
    image: await buildImage(docker, { name: 'contract' }),
    async heldImage() {
      const made = await registry.hold(`held-${held.length}`, 2);
      held.push(made.image);
      return made;
    },
    tamper: (name, tampering) => tamper(docker, name, tampering),
    hasRealAddresses: true,
    limitsVolumes,
    isTmpInMemory: runtime === 'runsc',
    keepsEveryStart: true,
    volumesFolder: join(folder, 'one'),
    execs,
    async dispose() {
      await opened[Symbol.asyncDispose]();
      await registry.close();
      for (const each of [engine, neighbour]) for (const owned of await each.listOwned()) await each.removeOwned(owned);
      for (const its of [ours, theirs]) await its?.group.remove();
      await removeBrought(docker, registry.host);
      await firewall.close();
      await removeFirewall(owner);
      // Removes empty folders only: the remains of a volume are a failure. Last, so that no watcher is left.
      for (const name of ['one', 'one-copies', 'two', 'execs', '.']) await rmdir(join(folder, name)).catch(isAbsent);
    },
  };
}

async function tamper(docker: Docker, name: string, tampering: Tampering): Promise<void> {
  const container = docker.getContainer(name);
  const { NetworkSettings, HostConfig } = await container.inspect();
  const [network] = Object.keys(NetworkSettings.Networks);
  switch (tampering) {
    case 'paused':
      return await container.pause();
    case 'off-network':
      return await docker.getNetwork(network!).disconnect({ Container: name, Force: true });
    case 'on-other-network':
      return await docker.getNetwork('bridge').connect({ Container: name });
    case 'limits':
      // gVisor takes other limits only while it does not run.
      if (HostConfig.Runtime === 'runsc') await container.stop({ t: 0 });
      await container.update({ Memory: 2 ** 26, MemorySwap: 2 ** 26, RestartPolicy: { Name: 'no' } });
      if (HostConfig.Runtime === 'runsc') await container.start();
      return;
  }
}

function isAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

function newOwner(): string {
  return `test-${newId(randomBytes)}`;
}
