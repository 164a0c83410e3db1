/** Which nodes of the cluster take pods, and what is left on one that is away. */
import type { Cluster } from '../../src/engine/kubernetes/cluster.ts';
import { ClusterRefusal } from '../../src/engine/kubernetes/faults.ts';
import type { Found, FoundNode, FoundPod } from '../../src/engine/kubernetes/objects.ts';

export const nodesPath = '/api/v1/nodes';

const mergePatch = 'application/merge-patch+json';

/** Cordons the open nodes until the returned function has resolved. */
export async function closeNodes(cluster: Cluster): Promise<() => Promise<void>> {
  const { items } = await cluster.request<{ items: FoundNode[] }>('GET', nodesPath);
  const open = items.filter(({ spec }) => !spec?.unschedulable).map(({ metadata }) => metadata.name);
  const setAll = async (unschedulable: boolean) => {
    for (const each of open) await patch(cluster, `${nodesPath}/${each}`, { spec: { unschedulable } });
  };
  await setAll(true);
  return () => setAll(false);
}

/** The cluster would keep the pods of an unreachable node for minutes. */
export async function removeAllPods(cluster: Cluster, node: string): Promise<void> {
  const query = { fieldSelector: `spec.nodeName=${node}` };
  const { items } = await cluster.request<{ items: FoundPod[] }>('GET', '/api/v1/pods', { query });
  for (const { metadata } of items)
    await removeNow(cluster, `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`);
}

export async function patch(cluster: Cluster, path: string, body: object): Promise<void> {
  await cluster.request<Found>('PATCH', path, { body, contentType: mergePatch }).catch(unlessAbsent);
}

/** Without waiting for its users. */
export async function removeNow(cluster: Cluster, path: string): Promise<void> {
  const body = { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 };
  await cluster.request('DELETE', path, { body }).catch(unlessAbsent);
}

function unlessAbsent(error: unknown): void {
  if (!(error instanceof ClusterRefusal && error.status === 404)) throw error;
}
