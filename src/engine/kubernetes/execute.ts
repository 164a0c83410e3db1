/**
 * Executes operations on the cluster. Each is a few requests that may be repeated. It ends when the cache contains its
 * changes, so that the next observation sees them.
 */
import type { OwnImageLimits } from '../../deployment/limits/pull-limits.ts';
import type { EngineOperation } from '../../deployment/plan/operation.ts';
import { type Egress, noEgress } from '../../deployment/workload/egress.ts';
import type { Workload, WorkloadName } from '../../deployment/workload/workload.ts';
import { EngineFault } from '../engine.ts';
import { labelKeys } from '../labels.ts';
import { untilBuilderRuns } from './builders.ts';
import type { Cache } from './cache.ts';
import type { Cluster } from './cluster.ts';
import { faultOf } from './faults.ts';
import type { FetchImage } from './images.ts';
import { claimManifest } from './manifests/claim.ts';
import { copyKey, isUnused, workloadKey } from './manifests/marks.ts';
import { pullSecretManifest, pullSecretName, pullSuffix } from './manifests/pull-secret.ts';
import { controllerKind, controllerManifest, secretManifest, type WorkloadRequest } from './manifests/workload.ts';
import { namespaceName, objectName } from './names.ts';
import { createNamespaces, type NamespaceSettings, removalPatienceMs } from './namespaces.ts';
import {
  claimsOfVolumes,
  type Found,
  type FoundController,
  isOfVolume,
  mounts,
  replacedClaims,
  templateMounts,
  volumeOf,
} from './objects.ts';
import { egressOf } from './observe.ts';
import { bytesOf } from './quantities.ts';
import { createServices } from './services.ts';

export type ExecuteSettings = NamespaceSettings &
  Pick<WorkloadRequest, 'stopSeconds' | 'diskBytes' | 'runtime' | 'hasLowPorts'> & {
    storageClass?: string | undefined;
  };

export type Execute = {
  change(deploymentId: string, operation: EngineOperation, limits?: OwnImageLimits): Promise<void>;
  setEgress(deploymentId: string, egress: Egress): Promise<void>;
  removeWorkload(deploymentId: string, object: string): Promise<void>;
  removeVolume(deploymentId: string, volume: string): Promise<void>;
  removeNetwork(deploymentId: string): Promise<void>;
  /** Removes the namespace with all its content. */
  removeNamespace(deploymentId: string): Promise<void>;
  /** Ensures a namespace, without a network, for objects that are not part of the plan. */
  provideNamespace(deploymentId: string): Promise<void>;
  /** Removes it where nothing is in it, and it has no network. */
  leaveNamespace(deploymentId: string): Promise<void>;
};

export function createExecute(cluster: Cluster, cache: Cache, bring: FetchImage, settings: ExecuteSettings): Execute {
  const { owner, storageClass } = settings;
  const namespaces = createNamespaces(cluster, cache, settings);
  const services = createServices(cluster, cache, owner);

  async function createNetwork(deploymentId: string, egress: Egress): Promise<void> {
    const namespace = await namespaces.make(deploymentId, egress);
    if (egressOf(namespace)) return;
    await namespaces.apply(deploymentId, egress);
  }

  async function setEgress(deploymentId: string, egress: Egress): Promise<void> {
    await namespaces.needNetwork(deploymentId);
    await namespaces.apply(deploymentId, egress);
  }

  async function removeNetwork(deploymentId: string): Promise<void> {
    const namespace = cache.find('Namespace', namespaceName(deploymentId));
    if (!namespace || namespace.metadata.deletionTimestamp !== undefined) return;
    if (!cache.list('PersistentVolumeClaim', deploymentId).some(isOfVolume)) return namespaces.remove(deploymentId);
    await services.removeAll(deploymentId);
    await namespaces.apply(deploymentId);
  }

  /** Creates the claim with the wanted size, or with its current size if that is larger. */
  async function makeVolume(deploymentId: string, volume: string, sizeBytes: number): Promise<void> {
    await namespaces.make(deploymentId, noEgress);
    const found = claimsOfVolumes(cache.list('PersistentVolumeClaim', deploymentId)).get(volume);
    if (found && (bytesOf(found.spec?.resources?.requests?.storage) ?? 0) >= sizeBytes) return;
    const name = found?.metadata.name;
    const claim = claimManifest({
      owner,
      deploymentId,
      volume,
      name,
      sizeBytes,
      storageClass,
      isUnused: !found || isUnused(found),
    });
    await cache.untilVisible('PersistentVolumeClaim', await cluster.apply(claim));
  }

  async function removeVolume(deploymentId: string, volume: string): Promise<void> {
    const all = cache.list('PersistentVolumeClaim', deploymentId).filter(isOfVolume);
    // A claim that a restore has replaced may still be in removal.
    const claims = all.filter((claim) => volumeOf(claim) === volume);
    const names = new Set(claims.map(({ metadata }) => metadata.name));
    if (cache.list('Pod', deploymentId).some((pod) => mounts(pod, names)))
      throw new EngineFault('unavailable', `The volume ${volume} is in use.`);
    for (const claim of claims) {
      const { name, uid } = claim.metadata;
      await cluster.remove('PersistentVolumeClaim', name, { namespace: namespaceName(deploymentId), uid });
      await untilRemoved(deploymentId, 'PersistentVolumeClaim', claim);
    }
    await leaveNamespace(deploymentId);
  }

  async function leaveNamespace(deploymentId: string): Promise<void> {
    const namespace = cache.find('Namespace', namespaceName(deploymentId));
    const isEmpty = cache.list('PersistentVolumeClaim', deploymentId).length === 0;
    if (namespace && isEmpty && !egressOf(namespace)) await namespaces.remove(deploymentId);
  }

  async function untilRemoved(
    deploymentId: string,
    kind: 'PersistentVolumeClaim' | 'Deployment' | 'Job',
    { metadata }: Found,
  ): Promise<void> {
    const isGone = () => cache.find(kind, metadata.name, deploymentId)?.metadata.uid !== metadata.uid;
    await cache.until(deploymentId, isGone, removalPatienceMs + settings.stopSeconds * 1000);
  }

  async function start(
    deploymentId: string,
    { workload, neighbours = [] }: Extract<EngineOperation, { kind: 'start' }>,
    limits: OwnImageLimits | undefined,
  ): Promise<void> {
    await namespaces.needNetwork(deploymentId);
    const kind = controllerKind(workload);
    const found = cache.find(kind, objectName(deploymentId, workload.name), deploymentId);
    if (found && found.metadata.deletionTimestamp === undefined) {
      const isSame = found.metadata.annotations?.[labelKeys.fingerprint] === workload.fingerprint;
      if (isSame && found.spec?.replicas !== 0) return;
      // The pod template of a job cannot be changed.
      if (kind === 'Job') await removeController(deploymentId, kind, found);
    } else if (found) await untilRemoved(deploymentId, kind, found);
    const { pass, ...image } = await bring(workload, limits);
    const request: WorkloadRequest = {
      ...settings,
      ...image,
      deploymentId,
      workload,
      claims: replacedClaims(cache.list('PersistentVolumeClaim', deploymentId)),
      names: await services.make(deploymentId, workload, neighbours),
      ...(pass && { pullSecret: pullSecretName(deploymentId, workload.name) }),
    };
    if (pass) await cluster.apply(pullSecretManifest(request, pass));
    await cluster.apply(secretManifest(request));
    refuseWhileCopied(deploymentId, workload);
    await cache.untilVisible(kind, await cluster.apply<FoundController>(controllerManifest(request)));
    if (workload.buildsImages) await untilBuilderRuns(cache, deploymentId, workload);
  }

  /** A pod that started now would spoil the copy. Its start waits for the end of the copy. */
  function refuseWhileCopied(deploymentId: string, { volumes }: Workload): void {
    const claims = claimsOfVolumes(cache.list('PersistentVolumeClaim', deploymentId));
    const names = new Set(volumes.flatMap(({ volume }) => claims.get(volume)?.metadata.name ?? []));
    const copiers = cache.list('Job', deploymentId).filter(({ metadata }) => metadata.labels?.[copyKey] !== undefined);
    if (copiers.some((copier) => templateMounts(copier, names)))
      throw new EngineFault('unavailable', 'The volumes are being copied at the moment.');
  }

  async function remove(deploymentId: string, name: WorkloadName): Promise<void> {
    if (await namespaces.find(deploymentId)) await removeWorkload(deploymentId, objectName(deploymentId, name));
  }

  /** Resolves when none of its pods runs. */
  async function removeWorkload(deploymentId: string, object: string): Promise<void> {
    for (const kind of ['Deployment', 'Job'] as const) {
      const found = cache.find(kind, object, deploymentId);
      if (found) await removeController(deploymentId, kind, found);
    }
  }

  async function removeController(deploymentId: string, kind: 'Deployment' | 'Job', found: FoundController) {
    const namespace = namespaceName(deploymentId);
    const { name, uid } = found.metadata;
    await cluster.remove(kind, name, { namespace, uid, waitsForDependents: true });
    await untilRemoved(deploymentId, kind, found);
    const hasPods = () =>
      cache.list('Pod', deploymentId).some(({ metadata }) => metadata.labels?.[workloadKey] === name);
    await cache.until(deploymentId, () => !hasPods(), removalPatienceMs + settings.stopSeconds * 1000);
    await Promise.all([
      cluster.remove('Secret', name, { namespace }),
      cluster.remove('Secret', `${name}${pullSuffix}`, { namespace }),
    ]);
  }

  function change(deploymentId: string, operation: EngineOperation, limits?: OwnImageLimits): Promise<void> {
    switch (operation.kind) {
      case 'create-network':
        return createNetwork(deploymentId, operation.egress ?? noEgress);
      case 'remove-network':
        return removeNetwork(deploymentId);
      case 'create-volume':
      case 'grow-volume':
        return makeVolume(deploymentId, operation.volume, operation.sizeBytes);
      case 'remove-volume':
        return removeVolume(deploymentId, operation.volume);
      case 'start':
        return start(deploymentId, operation, limits).catch((error: unknown) => {
          throw faultOf(error, operation.workload.pod);
        });
      // A controller cannot be stopped, because it would start its pods again. The claims keep the data.
      case 'stop':
      case 'remove':
        return remove(deploymentId, operation.name);
    }
  }

  return {
    change,
    setEgress,
    removeWorkload,
    removeVolume,
    removeNetwork,
    removeNamespace: namespaces.remove,
    leaveNamespace,
    provideNamespace: async (deploymentId) => void (await namespaces.make(deploymentId, noEgress)),
  };
}
