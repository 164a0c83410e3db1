/** Opens the engine on the cluster that the kubeconfig names, or that this process runs in. */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { type ImageSettings, type Images, openImages } from '../../images/open.ts';
import { newId } from '../../lib/ids.ts';
import { StartError } from '../../lib/start-error.ts';
import { type Engine, EngineFault, facetOf } from '../engine.ts';
import type { CopiesParts, EngineParts, OpenCopies, OpenEngine } from '../opening.ts';
import { type Cluster, connectCluster } from './cluster.ts';
import { probeIsolation } from './isolation-probe.ts';
import { openKubernetesEngine } from './kubernetes.ts';

export type KubernetesSettings = {
  edgeNetworks: readonly string[];
  storageClass: string | undefined;
  runtime: 'runc' | 'runsc';
  localImages: { patterns: readonly string[] };
  containerDiskBytes: number;
  /** The VolumeSnapshotClass for copies of volumes, or `none`. Default: the class of their driver. */
  snapshotClass: string | undefined;
  /** The image of pods that test the isolation, and of those that copy volumes. */
  probeImage: string;
  /** With `firewall`, the service accepts untrusted users without a test of the cluster's policies. */
  allowUnsafe: readonly string[];
};

/** Between SIGTERM and SIGKILL. */
const stopSeconds = 10;

/** Throws StartError. */
export async function openKubernetes(settings: KubernetesSettings, parts: EngineParts): Promise<OpenEngine> {
  const { owner, epoch, now, metrics, images, log } = parts;
  const { edgeNetworks, storageClass, runtime, localImages, containerDiskBytes: diskBytes } = settings;
  await using opening = new AsyncDisposableStack();
  const cluster = opening.use(await connectCluster(undefined, (method) => metrics.clusterRequests.inc({ method })));
  const opened = await openKubernetesEngine({
    cluster,
    owner,
    epoch,
    images,
    edgeNetworks,
    storageClass,
    stopSeconds,
    diskBytes,
    now,
    localPatterns: localImages.patterns,
    onHanging: ({ namespace, since, because }) =>
      log.warn({ namespace, since: new Date(since).toISOString(), because }, 'a namespace does not end'),
    runtime,
    copierImage: settings.probeImage,
    snapshots: {
      snapshotClass: settings.snapshotClass,
      onUnused: ({ storageClass, because }) =>
        log.warn(
          { storageClass, because },
          'volumes are copied without VolumeSnapshots: pods are stopped during the copy',
        ),
    },
  }).catch((error: unknown) => {
    if (!(error instanceof EngineFault)) throw error;
    throw new StartError(`The cluster at ${cluster.server} cannot be used: ${error.message}`);
  });
  const { engine, version } = opening.use(opened);
  log.info({ server: cluster.server, version }, 'Kubernetes');
  await tryIsolation(engine, cluster, settings, log);
  const open = opening.move();
  return { engine, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/**
 * Lists and removes an installation's objects on the cluster, independently of its service. It cannot start anything.
 */
export async function openInventory(owner: string): Promise<AsyncDisposable & { engine: Engine }> {
  const images = { digestOf: () => Promise.reject(new Error('No image is brought here.')) };
  const starting = { images, localPatterns: [], edgeNetworks: [], diskBytes: 0 };
  await using opening = new AsyncDisposableStack();
  const cluster = opening.use(await connectCluster());
  const { engine } = opening.use(await openKubernetesEngine({ ...starting, cluster, owner, stopSeconds }));
  const open = opening.move();
  return { engine, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** For commands that read or fill volumes. Throws StartError, and EngineFault. */
export async function openCopies(
  settings: KubernetesSettings & ImageSettings,
  { owner, seal, isBeside }: CopiesParts,
): Promise<OpenCopies> {
  const { storageClass, localImages, edgeNetworks, probeImage: copierImage, runtime } = settings;
  await using opening = new AsyncDisposableStack();
  const { images } = opening.use(await openImages(settings, { seal, isBeside }));
  const cluster = opening.use(await connectCluster());
  const { engine } = opening.use(
    await openKubernetesEngine({
      cluster,
      owner,
      images: admittedOnce(images),
      localPatterns: localImages.patterns,
      copierImage,
      edgeNetworks,
      storageClass,
      snapshots: { snapshotClass: settings.snapshotClass },
      runtime,
      diskBytes: 0,
      stopSeconds,
    }),
  );
  const copies = facetOf(engine, 'copies');
  const open = opening.move();
  return { copies, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** All copies use one image: its layers are fetched once, and not per deployment. */
function admittedOnce({ digestOf, nodes }: Images): Pick<Images, 'digestOf' | 'nodes'> {
  if (!nodes) return { digestOf };
  let admitted: ReturnType<typeof nodes.admit> | undefined;
  return { digestOf, nodes: { ...nodes, admit: (...requested) => (admitted ??= nodes.admit(...requested)) } };
}

/** Tests the isolation of pods, because a network plugin may ignore policies. Throws StartError if it does. */
async function tryIsolation(
  engine: Engine,
  cluster: Cluster,
  { allowUnsafe, probeImage: image }: Pick<KubernetesSettings, 'allowUnsafe' | 'probeImage'>,
  log: Logger,
): Promise<void> {
  if (allowUnsafe.includes('firewall'))
    return log.warn({}, 'The network isolation of pods is not tested, because BERTH_ALLOW_UNSAFE contains firewall');
  const trustingAll = 'If only you can deploy, BERTH_ALLOW_UNSAFE=firewall starts the service anyway.';
  const newProbeId = () => newId(randomBytes);
  const complaints = await probeIsolation({ engine, cluster, image, newId: newProbeId }).catch((error: Error) => {
    throw new StartError(
      `The network isolation of pods could not be tested with ${image} (BERTH_PROBE_IMAGE): ${error.message}\n${trustingAll}`,
    );
  });
  if (complaints.length > 0)
    throw new StartError(
      `This cluster does not isolate pods:\n${complaints.join('\n')}\nIts network plugin must enforce NetworkPolicy, including exceptions. ${trustingAll}`,
    );
  log.info({}, 'The cluster isolates pods. This was tested from inside a pod.');
}
