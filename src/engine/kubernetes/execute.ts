/**
 * What the operations do to the cluster. Each is a few requests, none of which depends on being made once; it ends when
 * what it has written is known here, so that the next look sees it.
 */
import type { Instant } from '../../deployment/deployment.ts';
import type { OwnImageLimits } from '../../deployment/limits/pull-limits.ts';
import type { EngineOperation } from '../../deployment/plan/operation.ts';
import { type Egress, noEgress } from '../../deployment/workload/egress.ts';
import { isSameWorkload } from '../../deployment/workload/fingerprint.ts';
import type { Workload, WorkloadName } from '../../deployment/workload/workload.ts';
import { wait } from '../../lib/wait.ts';
import { EngineFault } from '../engine.ts';
import { isOwnedBy, labelKeys } from '../labels.ts';
import type { Cache } from './cache.ts';
import { claimsOfVolumes, isOfVolume, mounts, replacedClaims, templateMounts, volumeOf } from './claims.ts';
import { type Cluster, fieldManager, pathOf } from './cluster.ts';
import { ClusterRefusal, faultOf } from './faults.ts';
import type { BringImage } from './images.ts';
import { claimManifest } from './manifests/claim.ts';
import { copyKey, deploymentOf, isUnused, workloadKey } from './manifests/marks.ts';
import { namespaceManifest, quotaManifest } from './manifests/namespace.ts';
import { isPolicyFor, networkPolicy, type PolicySettings } from './manifests/network-policy.ts';
import { pullSecretManifest, pullSecretName, pullSuffix } from './manifests/pull-secret.ts';
import { controllerKind, controllerManifest, secretManifest, type WorkloadRequest } from './manifests/workload.ts';
import { namespaceName, objectName } from './names.ts';
import type { Found, FoundController, FoundNamespace, FoundPolicy, Manifest } from './objects.ts';
import { egressOf } from './observe.ts';
import { bytesOf } from './quantities.ts';
import { createServices } from './services.ts';
import { removalLeftMs } from './terminating.ts';

export type ExecuteSettings = PolicySettings &
  Pick<WorkloadRequest, 'stopSeconds' | 'diskBytes' | 'runtime' | 'hasLowPorts'> & {
    owner: string;
    /** The epoch of the store now. */
    epoch: () => number;
    /** Epoch milliseconds; may jump. */
    now: () => Instant;
    storageClass?: string | undefined;
  };

export type Execute = {
  change(deploymentId: string, operation: EngineOperation, limits?: OwnImageLimits): Promise<void>;
  setEgress(deploymentId: string, egress: Egress): Promise<void>;
  removeWorkload(deploymentId: string, object: string): Promise<void>;
  removeVolume(deploymentId: string, volume: string): Promise<void>;
  removeNetwork(deploymentId: string): Promise<void>;
  /** Whatever is in it. */
  removeNamespace(deploymentId: string): Promise<void>;
  /** One that is there, without a network, for what is put into it beside what the plan knows. */
  provideNamespace(deploymentId: string): Promise<void>;
  /** Removes it where nothing is in it, and it has no network. */
  leaveNamespace(deploymentId: string): Promise<void>;
};

/** Beyond its grace period: a node clears away what has ended within seconds, that of 1.20 at times a minute later (measured). */
const removalPatienceMs = 120_000;

export function createExecute(cluster: Cluster, cache: Cache, bring: BringImage, settings: ExecuteSettings): Execute {
  const { owner, epoch, storageClass } = settings;
  const services = createServices(cluster, cache, owner);

  /** Undefined where there is none, or none any more. Throws EngineFault where it is somebody else's. */
  async function findNamespace(deploymentId: string): Promise<FoundNamespace | undefined> {
    const name = namespaceName(deploymentId);
    const found = cache.find('Namespace', name) ?? (await cluster.find<FoundNamespace>('Namespace', name));
    if (found && !isOwnedBy(owner, found.metadata.labels))
      throw new EngineFault('bad-request', `A namespace ${name} exists already, of another installation.`);
    return found;
  }

  /** It exists and is not being removed, and nothing gets into or out of it that its policy does not name. */
  async function makeNamespace(deploymentId: string, egress: Egress): Promise<FoundNamespace> {
    const found = await findNamespace(deploymentId);
    if (found && found.metadata.deletionTimestamp === undefined) return found;
    if (found) await untilGone(deploymentId, removalLeftMs(found, settings.now()));
    const made = await create(manifestOfNamespace(deploymentId));
    await bound(deploymentId, egress);
    await cache.untilSeen('Namespace', made);
    return made;
  }

  function manifestOfNamespace(deploymentId: string, egress?: Egress): Manifest {
    return namespaceManifest({ owner, deploymentId, epoch: epoch(), ...(egress && { egress }) });
  }

  /** Without `egress`, the namespace has no network. */
  async function applyNamespace(deploymentId: string, egress?: Egress): Promise<void> {
    await cache.untilSeen('Namespace', await cluster.apply(manifestOfNamespace(deploymentId, egress)));
  }

  async function bound(deploymentId: string, egress: Egress): Promise<void> {
    const [policy] = await Promise.all([
      cluster.apply<FoundPolicy>(networkPolicy(owner, deploymentId, egress, settings)),
      cluster.apply(quotaManifest(owner, deploymentId)),
    ]);
    // Otherwise each look would find it changed, and apply it again at once.
    if (!isPolicyFor(egress, settings, policy))
      throw new EngineFault('unavailable', 'The cluster makes something else of the policy around the deployment.', {
        hint: 'the operator has to see what changes NetworkPolicies there',
      });
    await cache.untilSeen('NetworkPolicy', policy);
  }

  /** Not applied: a namespace that somebody else makes at this moment must not become ours. */
  async function create(manifest: Manifest): Promise<FoundNamespace> {
    try {
      return await cluster.ask('POST', pathOf(manifest.kind), { body: manifest, query: { fieldManager } });
    } catch (error) {
      if (!(error instanceof ClusterRefusal) || error.status !== 409) throw error;
      const found = await findNamespace(deploymentOf(manifest));
      if (!found) throw error;
      return found;
    }
  }

  /** One that hangs is looked at again later. */
  async function untilGone(deploymentId: string, patienceMs: number): Promise<void> {
    const end = AbortSignal.timeout(patienceMs);
    while (await cluster.find('Namespace', namespaceName(deploymentId))) {
      if (end.aborted || patienceMs === 0)
        throw new EngineFault('unavailable', 'What the deployment had here before is still being removed.', {
          hint: 'the operator may have to look at what is holding it up',
        });
      await wait(500, end);
    }
  }

  async function createNetwork(deploymentId: string, egress: Egress): Promise<void> {
    const namespace = await makeNamespace(deploymentId, egress);
    if (egressOf(namespace)) return;
    await bound(deploymentId, egress);
    await applyNamespace(deploymentId, egress);
  }

  async function setEgress(deploymentId: string, egress: Egress): Promise<void> {
    await needNetwork(deploymentId);
    await bound(deploymentId, egress);
    await applyNamespace(deploymentId, egress);
  }

  async function needNetwork(deploymentId: string): Promise<void> {
    const namespace = await findNamespace(deploymentId);
    if (!namespace || namespace.metadata.deletionTimestamp !== undefined || !egressOf(namespace))
      throw new EngineFault('unavailable', 'The network of the deployment is missing.');
  }

  async function removeNetwork(deploymentId: string): Promise<void> {
    const namespace = cache.find('Namespace', namespaceName(deploymentId));
    if (!namespace || namespace.metadata.deletionTimestamp !== undefined) return;
    if (!cache.list('PersistentVolumeClaim', deploymentId).some(isOfVolume)) return removeNamespace(deploymentId);
    await services.removeAll(deploymentId);
    await applyNamespace(deploymentId);
  }

  async function removeNamespace(deploymentId: string): Promise<void> {
    const name = namespaceName(deploymentId);
    const found = cache.find('Namespace', name);
    if (!found) return;
    await cluster.remove('Namespace', name, { uid: found.metadata.uid });
    const isGoing = () => cache.find('Namespace', name)?.metadata.deletionTimestamp !== undefined;
    await cache.until(deploymentId, () => !cache.find('Namespace', name) || isGoing(), removalPatienceMs);
  }

  /** As large as it is wanted, or as it is, if that is more. */
  async function makeVolume(deploymentId: string, volume: string, sizeBytes: number): Promise<void> {
    await makeNamespace(deploymentId, noEgress);
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
    await cache.untilSeen('PersistentVolumeClaim', await cluster.apply(claim));
  }

  async function removeVolume(deploymentId: string, volume: string): Promise<void> {
    const all = cache.list('PersistentVolumeClaim', deploymentId).filter(isOfVolume);
    // One that a restore has replaced may still be going.
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
    if (namespace && isEmpty && !egressOf(namespace)) await removeNamespace(deploymentId);
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
    await needNetwork(deploymentId);
    const kind = controllerKind(workload);
    const found = cache.find(kind, objectName(deploymentId, workload.name), deploymentId);
    if (found && found.metadata.deletionTimestamp === undefined) {
      const isSame = isSameWorkload(workload, found.metadata.annotations?.[labelKeys.fingerprint] ?? '');
      if (isSame && found.spec?.replicas !== 0) return;
      // What a job runs cannot be changed.
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
    await cache.untilSeen(kind, await cluster.apply<FoundController>(controllerManifest(request)));
  }

  /** A pod that came up now would spoil the copy. One that is planned from now on waits for those that are stopped. */
  function refuseWhileCopied(deploymentId: string, { volumes }: Workload): void {
    const claims = claimsOfVolumes(cache.list('PersistentVolumeClaim', deploymentId));
    const names = new Set(volumes.flatMap(({ volume }) => claims.get(volume)?.metadata.name ?? []));
    const copiers = cache.list('Job', deploymentId).filter(({ metadata }) => metadata.labels?.[copyKey] !== undefined);
    if (copiers.some((copier) => templateMounts(copier, names)))
      throw new EngineFault('unavailable', 'The volumes are being copied at the moment.');
  }

  async function remove(deploymentId: string, name: WorkloadName): Promise<void> {
    if (await findNamespace(deploymentId)) await removeWorkload(deploymentId, objectName(deploymentId, name));
  }

  /** Resolves when nothing of it runs any more. */
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
    removeNamespace,
    leaveNamespace,
    provideNamespace: async (deploymentId) => void (await makeNamespace(deploymentId, noEgress)),
  };
}
