/** Namespaces of deployments on the cluster: made, confined and removed. */
import type { Instant } from '../../deployment/deployment.ts';
import type { Egress } from '../../deployment/workload/egress.ts';
import { wait } from '../../lib/wait.ts';
import { EngineFault } from '../engine.ts';
import { isOwnedBy } from '../labels.ts';
import type { Cache } from './cache.ts';
import { type Cluster, fieldManager, pathOf } from './cluster.ts';
import { ClusterRefusal } from './faults.ts';
import { deploymentOf } from './manifests/marks.ts';
import { namespaceManifest, quotaManifest } from './manifests/namespace.ts';
import { isPolicyFor, networkPolicy, type PolicySettings } from './manifests/network-policy.ts';
import { namespaceName } from './names.ts';
import { type FoundNamespace, type FoundPolicy, type Manifest, removalLeftMs } from './objects.ts';
import { egressOf } from './observe.ts';

/**
 * The time after the grace period: a node removes ended pods within seconds. Version 1.20 sometimes takes a minute
 * longer (measured).
 */
export const removalPatienceMs = 120_000;

export type NamespaceSettings = PolicySettings & {
  owner: string;
  /** The epoch of the store now. */
  epoch: () => number;
  /** Epoch milliseconds; may jump. */
  now: () => Instant;
};

export function createNamespaces(cluster: Cluster, cache: Cache, settings: NamespaceSettings) {
  const { owner, epoch } = settings;

  /** Undefined if the namespace does not exist. Throws EngineFault if it belongs to another installation. */
  async function find(deploymentId: string): Promise<FoundNamespace | undefined> {
    const name = namespaceName(deploymentId);
    const found = cache.find('Namespace', name) ?? (await cluster.find<FoundNamespace>('Namespace', name));
    if (found && !isOwnedBy(owner, found.metadata.labels))
      throw new EngineFault('bad-request', `A namespace ${name} exists already, of another installation.`);
    return found;
  }

  /** Resolves when the namespace exists, is not being removed, and is confined by its policy. */
  async function make(deploymentId: string, egress: Egress): Promise<FoundNamespace> {
    const found = await find(deploymentId);
    if (found && found.metadata.deletionTimestamp === undefined) return found;
    if (found) await untilGone(deploymentId, removalLeftMs(found, settings.now()));
    const made = await create(manifestOfNamespace(deploymentId));
    await bound(deploymentId, egress);
    await cache.untilVisible('Namespace', made);
    return made;
  }

  function manifestOfNamespace(deploymentId: string, egress?: Egress): Manifest {
    return namespaceManifest({ owner, deploymentId, epoch: epoch(), ...(egress && { egress }) });
  }

  /** Without `egress`, the namespace has no network. */
  async function apply(deploymentId: string, egress?: Egress): Promise<void> {
    if (egress) await bound(deploymentId, egress);
    await cache.untilVisible('Namespace', await cluster.apply(manifestOfNamespace(deploymentId, egress)));
  }

  async function bound(deploymentId: string, egress: Egress): Promise<void> {
    const [policy] = await Promise.all([
      cluster.apply<FoundPolicy>(networkPolicy(owner, deploymentId, egress, settings)),
      cluster.apply(quotaManifest(owner, deploymentId)),
    ]);
    // Otherwise each check would find it changed, and apply it again.
    if (!isPolicyFor(egress, settings, policy))
      throw new EngineFault('unavailable', 'The cluster changes the network policy of the deployment.', {
        hint: 'the operator must find out what changes NetworkPolicies there',
      });
    await cache.untilVisible('NetworkPolicy', policy);
  }

  /** Created, not applied: a namespace that another client creates now must not become ours. */
  async function create(manifest: Manifest): Promise<FoundNamespace> {
    try {
      return await cluster.request('POST', pathOf(manifest.kind), { body: manifest, query: { fieldManager } });
    } catch (error) {
      if (!(error instanceof ClusterRefusal) || error.status !== 409) throw error;
      const found = await find(deploymentOf(manifest));
      if (!found) throw error;
      return found;
    }
  }

  /** A namespace whose removal hangs is checked again later. */
  async function untilGone(deploymentId: string, patienceMs: number): Promise<void> {
    const end = AbortSignal.timeout(patienceMs);
    while (await cluster.find('Namespace', namespaceName(deploymentId))) {
      if (end.aborted || patienceMs === 0)
        throw new EngineFault('unavailable', 'The previous resources of the deployment are still being removed.', {
          hint: 'the operator may have to find out what delays it',
        });
      await wait(500, end);
    }
  }

  async function needNetwork(deploymentId: string): Promise<void> {
    const namespace = await find(deploymentId);
    if (!namespace || namespace.metadata.deletionTimestamp !== undefined || !egressOf(namespace))
      throw new EngineFault('unavailable', 'The network of the deployment is missing.');
  }

  async function remove(deploymentId: string): Promise<void> {
    const name = namespaceName(deploymentId);
    const found = cache.find('Namespace', name);
    if (!found) return;
    await cluster.remove('Namespace', name, { uid: found.metadata.uid });
    const isGoing = () => cache.find('Namespace', name)?.metadata.deletionTimestamp !== undefined;
    await cache.until(deploymentId, () => !cache.find('Namespace', name) || isGoing(), removalPatienceMs);
  }

  return { find, make, apply, remove, needNetwork };
}
