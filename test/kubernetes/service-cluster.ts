/** The test cluster for a service that runs on this machine instead of the node. */
import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { recipes } from '../../scripts/setup/images/images.ts';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { connectCluster } from '../../src/engine/kubernetes/cluster.ts';
import { newId } from '../../src/lib/ids.ts';
import { edgeNetworks, importImages } from './node.ts';
import { openNodeGate } from './node-gate.ts';
import { startProvisioner } from './provisioner.ts';
import { connectAsBerth } from './role.ts';

export type ServiceCluster = AsyncDisposable & {
  /** Settings of the service: an account with only the deployed role, and a storage class of its own. */
  environment: Record<string, string>;
  /** Puts what this machine's Docker has of the images that the YAML names on the node. */
  bringImagesOf(yaml: string): Promise<void>;
};

const ofRecipes = recipes.map(({ image }) => image);

export async function openServiceCluster(): Promise<ServiceCluster> {
  const [docker, cluster] = [await connectDocker(), await connectCluster()];
  const name = `service-${newId(randomBytes)}`;
  // Also images that no test requests itself: a command line, an agent and a template do.
  await importPresent(docker, ofRecipes);
  await using opening = new AsyncDisposableStack();
  const account = opening.use(await connectAsBerth(cluster, name));
  const storage = opening.use(await startProvisioner(cluster, name));
  const gate = opening.use(await openNodeGate(cluster, name));
  const open = opening.move();
  return {
    environment: {
      BERTH_ENGINE: 'kubernetes',
      KUBECONFIG: account.kubeconfig,
      BERTH_EDGE_NETWORKS: edgeNetworks.join(','),
      BERTH_STORAGE_CLASS: storage.name,
      BERTH_GATE: `${gate.host}:${gate.port} as ${gate.name}`,
      // As the set-up and the tests build them on this machine's Docker.
      BERTH_LOCAL_IMAGES: [...ofRecipes, 'berth-test-*'].join(','),
      // Tried once, by the tests of the probe; each start of a service would take seconds longer.
      BERTH_ALLOW_UNSAFE: 'firewall',
    },
    async bringImagesOf(yaml) {
      const named = new Set([...yaml.matchAll(/image: *"?([^\s",}]+)/g)].map(([, image]) => image!));
      await importPresent(docker, [...named]);
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Puts on the node what this machine's Docker has of them. */
async function importPresent(docker: Docker, images: readonly string[]): Promise<void> {
  const isPresent = await Promise.all(
    images.map((image) =>
      docker
        .getImage(image)
        .inspect()
        .then(
          () => true,
          () => false,
        ),
    ),
  );
  await importImages(
    docker,
    images.filter((_, index) => isPresent[index]),
  );
}
