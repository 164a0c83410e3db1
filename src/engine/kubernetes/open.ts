/** Opens the engine on the cluster that the kubeconfig names, or that this process runs in. */
import type { Logger } from 'pino';
import { StartError } from '../../lib/start-error.ts';
import { EngineFault } from '../engine.ts';
import type { EngineParts, OpenEngine } from '../opening.ts';
import { connectCluster } from './cluster.ts';
import { openKubernetesEngine } from './kubernetes.ts';

export type KubernetesSettings = {
  edgeNetworks: readonly string[];
  storageClass: string | undefined;
  runtime: 'runc' | 'runsc';
  localImages: { patterns: readonly string[] };
  containerDiskBytes: number;
  /** With `firewall`, strangers are served although nobody has tried whether the cluster keeps its policies. */
  allowUnsafe: readonly string[];
};

/** By this name clusters that have gVisor mostly know it. */
const gvisorClass = 'gvisor';

/** Between SIGTERM and SIGKILL. */
const stopSeconds = 5;

/** Throws StartError. */
export async function openKubernetes(settings: KubernetesSettings, parts: EngineParts): Promise<OpenEngine> {
  const { owner, now, images, log } = parts;
  const { edgeNetworks, storageClass, runtime, localImages, containerDiskBytes: diskBytes, allowUnsafe } = settings;
  refuseStrangers(allowUnsafe, log);
  const cluster = await connectCluster();
  const opened = await openKubernetesEngine({
    ...{ cluster, owner, images, edgeNetworks, storageClass, stopSeconds, diskBytes, now },
    localPatterns: localImages.patterns,
    runtimeClass: runtime === 'runsc' ? gvisorClass : undefined,
  }).catch((error: unknown) => {
    if (!(error instanceof EngineFault)) throw error;
    throw new StartError(`The cluster at ${cluster.server} cannot be used: ${error.message}`);
  });
  log.info({ server: cluster.server, version: opened.version }, 'Kubernetes');
  return { engine: opened.engine, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

/** A network plugin may ignore policies, or parts of them; nobody looks from inside a pod yet. Throws StartError. */
function refuseStrangers(allowUnsafe: readonly string[], log: Logger): void {
  const words = 'Whether this cluster keeps the policies around pods has not been tried';
  if (!allowUnsafe.includes('firewall'))
    throw new StartError(
      `${words}.\nWhere nobody but you can deploy, BERTH_ALLOW_UNSAFE=firewall serves all the same.`,
    );
  log.warn({}, `${words}; BERTH_ALLOW_UNSAFE is set`);
}
