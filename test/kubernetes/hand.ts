/** Changes behind the service's back on the node of the tests, by the cluster's API or the node's own containerd. */
import { ctr } from '../../scripts/testing/kube-node.ts';
import type { Owned } from '../../src/engine/engine.ts';
import { connectCluster, pathOf } from '../../src/engine/kubernetes/cluster.ts';
import { ClusterRefusal } from '../../src/engine/kubernetes/faults.ts';
import { workloadKey } from '../../src/engine/kubernetes/manifests/marks.ts';
import { policyName } from '../../src/engine/kubernetes/manifests/network-policy.ts';
import { containerName } from '../../src/engine/kubernetes/manifests/workload.ts';
import { namespaceName } from '../../src/engine/kubernetes/names.ts';
import { type FoundClaim, volumeOf } from '../../src/engine/kubernetes/objects.ts';
import { until } from '../scenarios/berth.ts';
import type { Hand } from '../scenarios/by-hand.ts';

type Pod = {
  metadata: { name: string; deletionTimestamp?: string };
  status: { containerStatuses?: { containerID?: string; state?: { running?: object } }[] };
};

const programPatienceMs = 60_000;
const cluster = await connectCluster();

export const handOfCluster: Hand = {
  async run(workload, argv) {
    const { metadata } = await until(`${workload.name} runs`, async () => {
      const pods = await podsOf(workload);
      return pods.find(({ status }) => status.containerStatuses?.[0]?.state?.running !== undefined);
    });
    const address = { namespace: namespaceOf(workload), pod: metadata.name, container: containerName };
    await cluster.run(address, argv, AbortSignal.timeout(programPatienceMs));
  },
  async kill(workload) {
    const { containerStatuses = [] } = (await podOf(workload)).status;
    const [, id] = /^containerd:\/\/(.+)$/.exec(containerStatuses[0]?.containerID ?? '') ?? [];
    await ctr('tasks', 'kill', '--signal', 'SIGKILL', id!);
  },
  async restart(workload) {
    await removePod(workload, await podOf(workload));
  },
  async stop(workload) {
    const { metadata: stopped } = await podOf(workload);
    const at = { name: workload.id, namespace: namespaceOf(workload) };
    await cluster.change('Deployment', at, { spec: { replicas: 0 } });
    await until(`${stopped.name} is gone`, async () =>
      (await podsOf(workload)).every(({ metadata }) => metadata.name !== stopped.name),
    );
  },
  async remove(object) {
    const namespace = namespaceOf(object);
    if (object.kind === 'workload') {
      await cluster.remove('Deployment', object.id, { namespace });
      for (const pod of await podsOf(object)) await removePod(object, pod);
    }
    if (object.kind === 'volume')
      for (const name of await claimsOf(object)) await cluster.remove('PersistentVolumeClaim', name, { namespace });
    // The policy of a namespace corresponds to a network.
    if (object.kind === 'network') await cluster.remove('NetworkPolicy', policyName, { namespace });
  },
  hasNetwork: async (network) => (await cluster.find('NetworkPolicy', policyName, namespaceOf(network))) !== undefined,
};

const namespaceOf = ({ deploymentId }: Owned) => namespaceName(deploymentId);

async function podsOf(workload: Owned): Promise<Pod[]> {
  const query = { labelSelector: `${workloadKey}=${workload.id}` };
  return (await cluster.request<{ items: Pod[] }>('GET', pathOf('Pod', undefined, namespaceOf(workload)), { query }))
    .items;
}

async function claimsOf({ deploymentId, volume }: Owned): Promise<string[]> {
  const path = pathOf('PersistentVolumeClaim', undefined, namespaceName(deploymentId));
  const { items } = await cluster.request<{ items: FoundClaim[] }>('GET', path);
  return items.filter((claim) => volumeOf(claim) === volume).map(({ metadata }) => metadata.name);
}

/** Returns the pod that must stay. */
async function podOf(workload: Owned): Promise<Pod> {
  const found = (await podsOf(workload)).find(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (!found) throw new Error(`${workload.name} has no pod`);
  return found;
}

async function removePod(workload: Owned, { metadata }: Pod): Promise<void> {
  const body = { gracePeriodSeconds: 0 };
  await cluster.request('DELETE', pathOf('Pod', metadata.name, namespaceOf(workload)), { body }).catch(unlessGone);
}

function unlessGone(error: unknown): void {
  if (!(error instanceof ClusterRefusal && error.status === 404)) throw error;
}
