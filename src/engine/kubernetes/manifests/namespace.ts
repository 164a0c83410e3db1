/** PURE. The namespace of a deployment, with what bounds it. */
import { maxContainersPerDeployment } from '../../../deployment/limits/count-limits.ts';
import { type Egress, printEgress } from '../../../deployment/workload/egress.ts';
import { deploymentLabels, epochLabel, labelKeys } from '../../labels.ts';
import { namespaceName } from '../names.ts';
import type { Manifest } from '../objects.ts';
import { networkKey } from './marks.ts';

export type NamespaceRequest = {
  owner: string;
  deploymentId: string;
  epoch: number;
  /** Absent if the network is gone but volumes remain. */
  egress?: Egress | undefined;
};

export function namespaceManifest({ owner, deploymentId, epoch, egress }: NamespaceRequest): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: namespaceName(deploymentId),
      labels: {
        ...deploymentLabels(owner, deploymentId),
        ...(egress && { [networkKey]: 'true' }),
        'pod-security.kubernetes.io/enforce': 'baseline',
      },
      annotations: { ...epochLabel(epoch), ...(egress && { [labelKeys.egress]: printEgress(egress) }) },
    },
  };
}

/**
 * Forbids objects that could be reached without the edge, even after other mistakes. During an update, each pod exists
 * twice, and each attempt of a job is a pod that stays. A pod has up to two Services, whose address range is shared by
 * the whole cluster.
 */
export function quotaManifest(owner: string, deploymentId: string): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'berth', namespace: namespaceName(deploymentId), labels: deploymentLabels(owner, deploymentId) },
    spec: {
      hard: {
        pods: String(8 * maxContainersPerDeployment),
        services: String(4 * maxContainersPerDeployment),
        'services.nodeports': '0',
        'services.loadbalancers': '0',
      },
    },
  };
}
