/** Two installations on the machine's real Docker engine, with random owners, so that runs never meet. */
import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { connectDocker } from '../../src/engine/docker/connect.ts';
import { createDockerEngine } from '../../src/engine/docker/docker.ts';
import { newId } from '../../src/lib/ids.ts';
import type { Contractor } from './engine.ts';
import { buildImage } from './image.ts';

export const networkPool = '10.206.0.0/16';

export async function dockerContractor(): Promise<Contractor & { docker: Docker; owner: string }> {
  const docker = await connectDocker();
  const [owner, other] = [newOwner(), newOwner()];
  const options = { docker, networkPool, stopSeconds: 1 };
  const engine = createDockerEngine({ ...options, owner });
  const neighbour = createDockerEngine({ ...options, owner: other });
  return {
    docker,
    owner,
    engine,
    neighbour,
    image: await buildImage(docker, { name: 'contract' }),
    hasRealAddresses: true,
    async dispose() {
      for (const each of [engine, neighbour]) for (const owned of await each.listOwned()) await each.removeOwned(owned);
    },
  };
}

function newOwner(): string {
  return `test-${newId(randomBytes)}`;
}
