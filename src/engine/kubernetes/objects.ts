/**
 * Objects of a cluster as JSON: the full objects that are sent, and the parts of received objects that are read. The
 * library's own types have dates where JSON has text.
 */
import type {
  V1DeploymentSpec,
  V1JobSpec,
  V1NetworkPolicyEgressRule,
  V1NetworkPolicyPeer,
  V1ResourceQuotaSpec,
  V1ServiceSpec,
} from '@kubernetes/client-node';
import type { Instant } from '../../deployment/deployment.ts';
import { type Labels, labelKeys } from '../labels.ts';
import { copyKey, readPlace } from './manifests/marks.ts';
import { clusterName } from './names.ts';

/** Namespaces that are being removed: the usual duration, and a report on those that hang. */

/** A removal takes 8 to 26 s (measured). One that takes longer than this waits for something that may never happen. */
export const usualRemovalMs = 60_000;

/** `because`: of the cluster, for the operator. */
export type Hanging = { namespace: string; since: Instant; because: string };

/** Returns the milliseconds for which a wait is still useful. */
export function removalLeftMs({ metadata }: FoundNamespace, now: Instant): number {
  return Math.max(0, removedAt(metadata.deletionTimestamp) + usualRemovalMs - now);
}

/** Namespaces that should have been removed long ago. */
export function hangingNamespaces(namespaces: readonly FoundNamespace[], now: Instant): Hanging[] {
  return namespaces.flatMap((namespace): Hanging[] => {
    const { metadata, status } = namespace;
    if (metadata.deletionTimestamp === undefined || removalLeftMs(namespace, now) > 0) return [];
    const reasons = (status?.conditions ?? []).flatMap((condition) =>
      condition.status === 'True' && condition.message ? [condition.message] : [],
    );
    const because = reasons.join(' ') || 'the cluster does not say why';
    return [{ namespace: metadata.name, since: removedAt(metadata.deletionTimestamp), because }];
  });
}

function removedAt(deletionTimestamp: string | undefined): Instant {
  return Date.parse(deletionTimestamp ?? '') || 0;
}

type Meta = { name: string; namespace?: string; labels: Labels; annotations?: Labels };

type Sent<ApiVersion extends string, Kind extends string, Rest = object> = {
  apiVersion: ApiVersion;
  kind: Kind;
  metadata: Meta;
} & Rest;

/** `resources.requests.storage` in bytes. `dataSource`: the initial content. */
type ClaimSpec = {
  accessModes: ['ReadWriteOnce'];
  storageClassName?: string;
  dataSource?: { apiGroup: string; kind: 'VolumeSnapshot'; name: string };
  resources: { requests: { storage: string } };
};

type VolumeSnapshotSpec = { volumeSnapshotClassName: string; source: { persistentVolumeClaimName: string } };

/** The library has another name for `from`. */
export type PolicySpec = {
  podSelector: object;
  policyTypes: ('Ingress' | 'Egress')[];
  ingress: { from: V1NetworkPolicyPeer[] }[];
  egress: V1NetworkPolicyEgressRule[];
};

export type Manifest =
  | Sent<'v1', 'Namespace'>
  | Sent<'v1', 'Secret', { type?: string; data: Record<string, string> }>
  | Sent<'v1', 'Service', { spec: V1ServiceSpec }>
  | Sent<'v1', 'PersistentVolumeClaim', { spec: ClaimSpec }>
  | Sent<'v1', 'ResourceQuota', { spec: V1ResourceQuotaSpec }>
  | Sent<'networking.k8s.io/v1', 'NetworkPolicy', { spec: PolicySpec }>
  | Sent<'apps/v1', 'Deployment', { spec: V1DeploymentSpec }>
  | Sent<'batch/v1', 'Job', { spec: V1JobSpec }>
  | Sent<'snapshot.storage.k8s.io/v1', 'VolumeSnapshot', { spec: VolumeSnapshotSpec }>;

export type ManifestKind = Manifest['kind'];

/** The group of an extension that a cluster may not have. */
export const snapshotGroup = 'snapshot.storage.k8s.io';

/** Where objects of a kind are, in every version since 1.20. */
export const placeOfKind = {
  Namespace: { api: '/api/v1', plural: 'namespaces' },
  Node: { api: '/api/v1', plural: 'nodes' },
  Pod: { api: '/api/v1', plural: 'pods' },
  Secret: { api: '/api/v1', plural: 'secrets' },
  Service: { api: '/api/v1', plural: 'services' },
  PersistentVolumeClaim: { api: '/api/v1', plural: 'persistentvolumeclaims' },
  ResourceQuota: { api: '/api/v1', plural: 'resourcequotas' },
  NetworkPolicy: { api: '/apis/networking.k8s.io/v1', plural: 'networkpolicies' },
  Deployment: { api: '/apis/apps/v1', plural: 'deployments' },
  Job: { api: '/apis/batch/v1', plural: 'jobs' },
  StorageClass: { api: '/apis/storage.k8s.io/v1', plural: 'storageclasses' },
  VolumeSnapshot: { api: `/apis/${snapshotGroup}/v1`, plural: 'volumesnapshots' },
  VolumeSnapshotClass: { api: `/apis/${snapshotGroup}/v1`, plural: 'volumesnapshotclasses' },
} as const satisfies Record<
  ManifestKind | 'Node' | 'Pod' | 'StorageClass' | 'VolumeSnapshotClass',
  { api: string; plural: string }
>;

export type Kind = keyof typeof placeOfKind;

/** The common fields of all returned objects. */
export type Found = {
  metadata: {
    name: string;
    namespace?: string;
    uid: string;
    resourceVersion: string;
    creationTimestamp: string;
    deletionTimestamp?: string;
    labels?: Labels;
    annotations?: Labels;
  };
};

export type FoundNamespace = Found & { status?: { conditions?: Condition[] } };

export type FoundController = Found & {
  spec?: { replicas?: number; template?: { spec?: { volumes?: VolumeSource[] } } };
  status?: { conditions?: Condition[]; failed?: number; succeeded?: number };
};

export type FoundClaim = Found & {
  spec?: { storageClassName?: string; resources?: { requests?: { storage?: string } } };
  status?: { phase?: string; capacity?: { storage?: string } };
};

export type FoundStorageClass = Found & { provisioner: string };

export type FoundSnapshotClass = Found & { driver: string; deletionPolicy: string };

export type FoundVolumeSnapshot = Found & {
  status?: { readyToUse?: boolean; restoreSize?: string; error?: { message?: string } };
};

export type FoundPolicy = Found & { spec?: Partial<PolicySpec> };

export type FoundService = Found & { spec?: { clusterIP?: string } };

export type Condition = { type: string; status: string; reason?: string; message?: string };

export type FoundPod = Found & {
  spec?: {
    nodeName?: string;
    containers?: { resources?: { limits?: Amounts; requests?: Amounts } }[];
    volumes?: VolumeSource[];
  };
  status?: {
    phase?: string;
    reason?: string;
    message?: string;
    podIP?: string;
    conditions?: Condition[];
    containerStatuses?: ContainerStatus[];
  };
};

type Amounts = { cpu?: string; memory?: string };

export type VolumeSource = { persistentVolumeClaim?: { claimName: string } };

export type ContainerStatus = {
  restartCount: number;
  /** The ID of the running container, or of the container that ended last. */
  containerID?: string;
  state?: ContainerStateOnCluster;
  lastState?: ContainerStateOnCluster;
};

type ContainerStateOnCluster = {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: string };
  terminated?: Terminated;
};

export type Terminated = {
  exitCode: number;
  reason?: string;
  message?: string;
  startedAt?: string | null;
  finishedAt?: string | null;
  containerID?: string;
};

export type FoundNode = Found & {
  spec?: { unschedulable?: boolean };
  status?: {
    allocatable?: { cpu?: string; memory?: string };
    nodeInfo?: { architecture?: string };
    addresses?: { type: string; address: string }[];
    conditions?: Condition[];
  };
};

/** Maps claims to volumes. A restore replaces the claim of a volume, and the previous claim is removed later. */

/** Returns the claims of one deployment by volume. */
export function claimsOfVolumes(claims: readonly FoundClaim[]): Map<string, FoundClaim> {
  const found = new Map<string, FoundClaim>();
  for (const claim of claims.filter(isOfVolume)) {
    const volume = volumeOf(claim);
    const other = found.get(volume);
    if (!other || isBefore(other, claim)) found.set(volume, claim);
  }
  return found;
}

/** Excludes claims for copies that are still being assembled. */
export function isOfVolume({ metadata }: FoundClaim): boolean {
  return metadata.labels?.[copyKey] === undefined;
}

export function volumeOf({ metadata }: FoundClaim): string {
  return metadata.annotations?.[labelKeys.volume] ?? metadata.name;
}

/** A claim in removal has been replaced, or is left over. */
function isBefore(one: FoundClaim, other: FoundClaim): boolean {
  const [isGoing, otherGoes] = [one, other].map(({ metadata }) => metadata.deletionTimestamp !== undefined);
  if (isGoing !== otherGoes) return isGoing!;
  return readPlace(one.metadata.annotations).place < readPlace(other.metadata.annotations).place;
}

/** Claims whose name differs from that of their volume. */
export function replacedClaims(claims: readonly FoundClaim[]): Map<string, string> {
  const current = [...claimsOfVolumes(claims)].map(([volume, { metadata }]) => [volume, metadata.name] as const);
  return new Map(current.filter(([volume, name]) => name !== clusterName(volume)));
}

/** Returns whether the pod has one of the claims, or is going to have it. */
export function mounts({ spec }: { spec?: { volumes?: VolumeSource[] } }, claims: ReadonlySet<string>): boolean {
  return spec?.volumes?.some(({ persistentVolumeClaim: source }) => source && claims.has(source.claimName)) ?? false;
}

export function templateMounts({ spec }: FoundController, claims: ReadonlySet<string>): boolean {
  return spec?.template !== undefined && mounts(spec.template, claims);
}

/** Returns whether containers of the pod run or will run. */
export function isAtWork({ status }: FoundPod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}
