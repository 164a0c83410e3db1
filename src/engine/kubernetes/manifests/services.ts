/**
 * PURE. The Services through which the other pods of a deployment reach a pod. Pods read the address once at their
 * start, so it stays when the pod goes, for as long as it may come back.
 */
import type { Neighbour } from '../../../deployment/workload/workload.ts';
import { deploymentLabels, labelKeys } from '../../labels.ts';
import { clusterName, namespaceName, replicaServiceName } from '../names.ts';
import type { Manifest } from '../objects.ts';
import { aliasMarks } from './marks.ts';

export type ServiceRequest = { owner: string; deploymentId: string; workload: Neighbour };

/** All Service names that a replica of a pod may have. */
export function serviceNames(pod: string, replica: number): string[] {
  return [clusterName(pod), replicaServiceName(pod, replica)];
}

/**
 * One for all replicas of the pod, and one for this replica where it has names of its own. None for a pod without ports:
 * a Service names the ports that it passes on.
 */
export function serviceManifests({ owner, deploymentId, workload }: ServiceRequest): Manifest[] {
  const { pod, replica, aliases, ports } = workload;
  if (ports.length === 0) return [];
  const isOfReplica = (alias: string) => [`${pod}-${replica}`, `${pod}-${replica}.pod`].includes(alias);
  const selector = { ...deploymentLabels(owner, deploymentId), [labelKeys.pod]: pod };
  const service = (name: string, names: string[], more = {}): Manifest => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace: namespaceName(deploymentId),
      labels: selector,
      annotations: aliasMarks(names),
    },
    spec: {
      type: 'ClusterIP',
      selector: { ...selector, ...more },
      ports: [...new Set(ports)].map((port) => ({ name: `tcp-${port}`, protocol: 'TCP', port, targetPort: port })),
      // Whether a pod is ready is for our own probes to say, and pods that start may need one another.
      publishNotReadyAddresses: true,
    },
  });
  const own = aliases.filter(isOfReplica);
  return [
    service(
      clusterName(pod),
      aliases.filter((alias) => !isOfReplica(alias)),
    ),
    ...(own.length > 0
      ? [service(replicaServiceName(pod, replica), own, { [labelKeys.replica]: String(replica) })]
      : []),
  ];
}
