/** Two installations on the cluster of the kubeconfig, with random owners, so that runs never meet. */
import { randomBytes } from 'node:crypto';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { type Cluster, connectCluster } from '../../src/engine/kubernetes/cluster.ts';
import { type KubernetesEngine, openKubernetesEngine } from '../../src/engine/kubernetes/kubernetes.ts';
import { newId } from '../../src/lib/ids.ts';
import type { Contractor } from '../contract/engine.ts';
import { buildImage } from '../contract/image.ts';
import { contractEpoch } from '../contract/scene.ts';
import { provideDebian } from '../images/debian.ts';
import { openTestImages } from '../support/images.ts';
import { edgeNetworks, importImages, tagImage, untagImage } from './node.ts';
import { startProvisioner } from './provisioner.ts';
import { connectAsBerth } from './role.ts';

/** `cluster`: with all rights; the engines have only the rights of the deployed role. */
export type KubernetesContractor = Contractor & { engine: KubernetesEngine; cluster: Cluster; owner: string };

/** `further`: images of this machine's Docker that pods may run, in addition to the contract's own. */
export async function kubernetesContractor(further: readonly string[] = []): Promise<KubernetesContractor> {
  const docker = await connectDocker();
  const cluster = await connectCluster();
  const image = await buildImage(docker, { name: 'contract' });
  const copierImage = await provideDebian(docker);
  await importImages(docker, [image, copierImage, ...further]);
  const [owner, other] = [newOwner(), newOwner()];
  await using opening = new AsyncDisposableStack();
  const { images } = opening.use(await openTestImages(['localhost:1']));
  const storage = opening.use(await startProvisioner(cluster, owner));
  const held: string[] = [];
  const account = opening.use(await connectAsBerth(cluster, owner));
  const options = {
    cluster: account.cluster,
    images,
    edgeNetworks,
    stopSeconds: 1,
    diskBytes: 2 ** 30,
    storageClass: storage.name,
    localPatterns: ['berth-test-*', copierImage, ...further],
    copierImage,
  };
  const { engine } = opening.use(await openKubernetesEngine({ ...options, owner, epoch: () => contractEpoch }));
  const { engine: neighbour } = opening.use(await openKubernetesEngine({ ...options, owner: other }));
  const open = opening.move();
  return {
    cluster,
    owner,
    engine,
    neighbour,
    image,
    async heldImage() {
      const name = `berth-test-held:${owner}-${held.length}`;
      held.push(name);
      const { promise, resolve } = Promise.withResolvers<void>();
      void promise.then(() => tagImage(image, name));
      return { image: name, letGo: resolve };
    },
    hasRealAddresses: true,
    limitsVolumes: false,
    isTmpInMemory: false,
    keepsEveryStart: false,
    async dispose() {
      for (const each of [engine, neighbour]) for (const owned of await each.listOwned()) await each.removeOwned(owned);
      for (const name of held) await untagImage(name);
      await open.disposeAsync();
    },
  };
}

function newOwner(): string {
  return `test-${newId(randomBytes)}`;
}
