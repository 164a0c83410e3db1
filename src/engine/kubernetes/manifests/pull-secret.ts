/**
 * PURE. The credentials of nodes for pulling the image of a workload. They are for that one image, in the namespace of
 * a deployment that may use it.
 */
import type { Pass } from '../../../images/gate/node-gate.ts';
import type { Labels } from '../../labels.ts';
import { namespaceName, objectName } from '../names.ts';
import type { Manifest } from '../objects.ts';
import { workloadMarks } from './marks.ts';
import type { WorkloadRequest } from './workload.ts';

/** No name of a workload ends in it: each ends in numbers, or in a hash. */
export const pullSuffix = '-pull';

export function pullSecretName(deploymentId: string, workload: WorkloadRequest['workload']['name']): string {
  return `${objectName(deploymentId, workload)}${pullSuffix}`;
}

export function pullSecretManifest(
  { owner, deploymentId, workload }: Pick<WorkloadRequest, 'owner' | 'deploymentId' | 'workload'>,
  pass: Pass,
): Manifest {
  const { labels } = workloadMarks(owner, deploymentId, workload);
  return passManifest(pullSecretName(deploymentId, workload.name), { deploymentId, labels }, pass);
}

export function passManifest(
  name: string,
  { deploymentId, labels }: { deploymentId: string; labels: Labels },
  { registry, username, password }: Pass,
): Manifest {
  const auth = Buffer.from(`${username}:${password}`).toString('base64');
  const logins = JSON.stringify({ auths: { [registry]: { auth } } });
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: namespaceName(deploymentId), labels },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(logins).toString('base64') },
  };
}
