/** PURE. A volume of a deployment, as a claim. */
import { leastVolumeBytes } from '../../../deployment/disk/disk-levels.ts';
import { deploymentLabels, volumeLabels } from '../../labels.ts';
import { clusterName, namespaceName } from '../names.ts';
import type { Manifest } from '../objects.ts';
import { copyKey, madeForKey } from './marks.ts';

export type ClaimRequest = {
  owner: string;
  deploymentId: string;
  volume: string;
  /** Default: the volume's own. */
  name?: string | undefined;
  sizeBytes: number;
  /** Default: the cluster's default one. */
  storageClass?: string | undefined;
};

type ClaimManifest = Extract<Manifest, { kind: 'PersistentVolumeClaim' }>;

export function claimManifest(request: ClaimRequest): ClaimManifest {
  const { owner, deploymentId, volume, name = clusterName(volume), sizeBytes, storageClass } = request;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
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

/** One that is put together beside the volumes; it is none of them. `part`: what it is to be. */
export function asideManifest(
  request: Omit<ClaimRequest, 'name'> & { key: string; part: 'copy' | 'made' },
): ClaimManifest {
  const { owner, deploymentId, volume, key, part } = request;
  const { spec, metadata, ...rest } = claimManifest({ ...request, name: asideName(part, key, volume) });
  const labels = { ...deploymentLabels(owner, deploymentId), [copyKey]: key };
  return { ...rest, metadata: { ...metadata, labels, annotations: { [madeForKey]: volume } }, spec };
}

/** No volume has it as its own: keys are nobody's to know. */
export function asideName(part: 'copy' | 'made', key: string, volume: string): string {
  return clusterName(`${part}-${key}-${volume}`);
}
