/** PURE. A volume of a deployment, as a claim. */
import { minVolumeBytes } from '../../../deployment/disk/disk-levels.ts';
import { deploymentLabels, volumeLabels } from '../../labels.ts';
import { clusterName, namespaceName } from '../names.ts';
import { type Manifest, snapshotGroup } from '../objects.ts';
import { copyKey, madeForKey, unusedMark } from './marks.ts';

export type ClaimRequest = {
  owner: string;
  deploymentId: string;
  volume: string;
  /** Default: the volume's own. */
  name?: string | undefined;
  sizeBytes: number;
  /** Whether no pod has used it yet. */
  isUnused?: boolean;
  /** Default: the cluster's default one. */
  storageClass?: string | undefined;
};

type ClaimManifest = Extract<Manifest, { kind: 'PersistentVolumeClaim' }>;

export function claimManifest(request: ClaimRequest): ClaimManifest {
  const { owner, deploymentId, volume, name = clusterName(volume), sizeBytes, storageClass } = request;
  const { isUnused = false } = request;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      namespace: namespaceName(deploymentId),
      labels: deploymentLabels(owner, deploymentId),
      annotations: { ...volumeLabels(owner, deploymentId, volume), ...(isUnused && unusedMark) },
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      ...(storageClass !== undefined && { storageClassName: storageClass }),
      resources: { requests: { storage: String(Math.max(sizeBytes, minVolumeBytes)) } },
    },
  };
}

/** A copy of a volume, a claim from a VolumeSnapshot, or a claim that a restore fills. */
type Aside = 'copy' | 'snapshot' | 'made';

/** A claim that is assembled separately and is not a volume. `part`: its purpose. */
export function asideManifest(request: Omit<ClaimRequest, 'name'> & { key: string; part: Aside }): ClaimManifest {
  const { owner, deploymentId, volume, key, part } = request;
  const { spec, metadata, ...rest } = claimManifest({ ...request, name: asideName(part, key, volume) });
  const labels = { ...deploymentLabels(owner, deploymentId), [copyKey]: key };
  return { ...rest, metadata: { ...metadata, labels, annotations: { [madeForKey]: volume } }, spec };
}

/** A VolumeSnapshot of a claim. The claim that is created from it has the same name. */
export function volumeSnapshotManifest(
  request: Pick<ClaimRequest, 'owner' | 'deploymentId' | 'volume'> & { key: string; claim: string; className: string },
): Manifest {
  const { owner, deploymentId, volume, key, claim, className } = request;
  return {
    apiVersion: `${snapshotGroup}/v1`,
    kind: 'VolumeSnapshot',
    metadata: {
      name: asideName('snapshot', key, volume),
      namespace: namespaceName(deploymentId),
      labels: { ...deploymentLabels(owner, deploymentId), [copyKey]: key },
    },
    spec: { volumeSnapshotClassName: className, source: { persistentVolumeClaimName: claim } },
  };
}

/** A separate claim with the state of a volume when its VolumeSnapshot was taken. */
export function fromSnapshotManifest(request: Omit<ClaimRequest, 'name'> & { key: string }): ClaimManifest {
  const { spec, ...rest } = asideManifest({ ...request, part: 'snapshot' });
  const name = asideName('snapshot', request.key, request.volume);
  return { ...rest, spec: { ...spec, dataSource: { apiGroup: snapshotGroup, kind: 'VolumeSnapshot', name } } };
}

/** Cannot collide with a volume, because keys are secret. */
export function asideName(part: Aside, key: string, volume: string): string {
  return clusterName(`${part}-${key}-${volume}`);
}
