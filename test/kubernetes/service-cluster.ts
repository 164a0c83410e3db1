/** The cluster of the tests, as a service uses it that runs on this machine beside the node. */
import { randomBytes } from 'node:crypto';
import { recipes } from '../../scripts/setup/images/images.ts';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { connectCluster } from '../../src/engine/kubernetes/cluster.ts';
import { newId } from '../../src/lib/ids.ts';
import { edgeNetworks, importImages } from './node.ts';
import { openNodeGate } from './node-gate.ts';
import { startProvisioner } from './provisioner.ts';
import { connectAsBerth } from './role.ts';

export type ServiceCluster = AsyncDisposable & {
  /** What the service is told: an account with the deployed role and no other, a storage class of its own. */
  environment: Record<string, string>;
  /** Puts what this machine's Docker has of the images that the YAML names on the node. */
  bringImagesOf(yaml: string): Promise<void>;
};

export async function openServiceCluster(): Promise<ServiceCluster> {
  const [docker, cluster] = [await connectDocker(), await connectCluster()];
  const name = `service-${newId(randomBytes)}`;
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
      BERTH_NODE_GATE: `${gate.host}:${gate.port} as ${gate.name}`,
      // As the set-up and the tests build them on this machine's Docker.
      BERTH_LOCAL_IMAGES: [...recipes.map(({ image }) => image), 'berth-test-*'].join(','),
      // Tried once, by the tests of the probe; each start of a service would take seconds longer.
      BERTH_ALLOW_UNSAFE: 'firewall',
    },
    async bringImagesOf(yaml) {
      const named = new Set([...yaml.matchAll(/image: *"?([^\s",}]+)/g)].map(([, image]) => image!));
      const present = await Promise.all(
        [...named].map(async (image) => {
          const found = await docker
            .getImage(image)
            .inspect()
            .catch(() => undefined);
          return found ? [image] : [];
        }),
      );
      await importImages(docker, present.flat());
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
