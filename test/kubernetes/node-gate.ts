/** A port of this machine, where nodes of the cluster find it as one of their own: as operators bring images to nodes. */
import type { Cluster } from '../../src/engine/kubernetes/cluster.ts';
import { freePort } from '../free-port.ts';
import { edgeNetworks } from './node.ts';

export type NodeGate = AsyncDisposable & {
  /** The address on which the server has to listen. */
  host: string;
  port: number;
  /** The name by which nodes reach the gate. */
  name: string;
};

export async function openNodeGate(cluster: Cluster, name: string): Promise<NodeGate> {
  const namespace = '/api/v1/namespaces/default';
  const host = edgeNetworks[0]!.split('/')[0]!;
  const port = await freePort();
  const metadata = { name, namespace: 'default' };
  const spec = { type: 'NodePort', ports: [{ port: 5000, targetPort: port }] };
  const service = await cluster.request<{ spec: { ports: { nodePort: number }[] } }>('POST', `${namespace}/services`, {
    body: { apiVersion: 'v1', kind: 'Service', metadata, spec },
  });
  const subsets = [{ addresses: [{ ip: host }], ports: [{ port }] }];
  await cluster.request('POST', `${namespace}/endpoints`, {
    body: { apiVersion: 'v1', kind: 'Endpoints', metadata, subsets },
  });
  return {
    host,
    port,
    name: `localhost:${service.spec.ports[0]!.nodePort}`,
    async [Symbol.asyncDispose]() {
      await cluster.request('DELETE', `${namespace}/services/${name}`);
    },
  };
}
