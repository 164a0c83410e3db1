/** PURE. A volume of a deployment, as a claim. */
import { leastVolumeBytes } from '../../../deployment/disk/disk-levels.ts';
import { deploymentLabels, volumeLabels } from '../../labels.ts';
import { clusterName, namespaceName } from '../names.ts';
import type { Manifest } from '../objects.ts';

export type ClaimRequest = {
  owner: string;
  deploymentId: string;
  volume: string;
  sizeBytes: number;
  /** Default: the cluster's default one. */
  storageClass?: string | undefined;
};

export function claimManifest({ owner, deploymentId, volume, sizeBytes, storageClass }: ClaimRequest): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: clusterName(volume),
      namespace: namespaceName(deploymentId),
      labels: deploymentLabels(owner, deploymentId),
      annotations: volumeLabels(owner, deploymentId, volume),
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      ...(storageClass !== undefined && { storageClassName: storageClass }),
      resources: { requests: { storage: String(Math.max(sizeBytes, leastVolumeBytes)) } },
    },
  };
}
