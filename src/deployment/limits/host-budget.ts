/** PURE. Decides whether a request fits on the host. */
import { type Amount, amountBy } from './pod-resources.ts';

/** The size of the host, and its free disk space. */
export type Capacity = {
  memoryBytes: number;
  cpuMillis: number;
  /** The disk of images, volumes and logs. Absent if the service cannot measure it: then it limits nothing. */
  disk?: Disk;
};

export type Disk = {
  usedBytes: number;
  freeBytes: number;
  /** The disk of volumes, which may be a different one. */
  volumesFreeBytes?: number;
  volumesUsedBytes?: number;
};

export type BudgetRules = {
  /** A share of the machine's memory, or bytes. */
  memory: { share: number } | { bytes: number };
  /** Multiple of the machine's processors. Few applications compute at the same time. */
  cpuOvercommit: number;
  /** Free space for images and for the host. */
  diskFreeBytes: number;
  /** The number of GPUs for containers, one each. */
  gpus: number;
};

/** The limited resources of a host. */
export type HostResource = 'memoryBytes' | 'cpuMillis' | 'diskBytes' | 'gpus';

/** Returns the total that deployments may reserve; for the disk, the free space beyond the minimum. */
export type Budget = Pick<Amount, Exclude<HostResource, 'gpus'>> & {
  /** Absent: none. */
  gpus?: number;
  /** All memory of the machine, the maximum of a container. Absent, like the next field, if it is unknown. */
  machineMemoryBytes?: number;
  /** The size of the disk, less the space that must stay free. */
  emptyDiskBytes?: number;
};

export function budgetOf({ memoryBytes, cpuMillis, disk }: Capacity, rules: BudgetRules): Budget {
  return {
    memoryBytes: 'bytes' in rules.memory ? rules.memory.bytes : Math.floor(memoryBytes * rules.memory.share),
    cpuMillis: cpuMillis * rules.cpuOvercommit,
    gpus: rules.gpus,
    diskBytes: disk ? freeOf(disk) - rules.diskFreeBytes : Number.POSITIVE_INFINITY,
    machineMemoryBytes: memoryBytes,
    ...(disk && { emptyDiskBytes: Math.max(0, sizeOf(disk) - rules.diskFreeBytes) }),
  };
}

/** Returns the smaller disk. */
function sizeOf({ usedBytes, freeBytes, volumesUsedBytes, volumesFreeBytes }: Disk): number {
  const volumes =
    volumesFreeBytes === undefined || volumesUsedBytes === undefined
      ? Number.POSITIVE_INFINITY
      : volumesUsedBytes + volumesFreeBytes;
  return Math.min(usedBytes + freeBytes, volumes);
}

/** Volumes, layers and logs may be on either disk, so the fuller one decides. */
export function freeOf({ freeBytes, volumesFreeBytes = freeBytes }: Disk): number {
  return Math.min(freeBytes, volumesFreeBytes);
}

export type Fit = { kind: 'fits' } | { kind: 'short'; resource: HostResource; requested: number };

/**
 * `committed`: what deployments have reserved. A resource limits only requests that increase it. Disk use is measured,
 * not reserved, because volumes are mostly empty. Requests that would not fit on an empty host were refused before
 * (`deployment-maximum.ts`).
 */
export function fits(
  budget: Budget,
  committed: Pick<Amount, Exclude<HostResource, 'diskBytes'>>,
  requested: Pick<Amount, HostResource>,
): Fit {
  const before = { ...committed, diskBytes: 0 };
  for (const resource of ['memoryBytes', 'cpuMillis', 'diskBytes', 'gpus'] as const) {
    if (requested[resource] > 0 && before[resource] + requested[resource] > (budget[resource] ?? 0)) {
      return { kind: 'short', resource, requested: requested[resource] };
    }
  }
  return { kind: 'fits' };
}

/** Returns what an update adds to the resources of its deployment. */
export function growth(from: Amount, to: Amount): Amount {
  return amountBy((key) => Math.max(0, to[key] - from[key]));
}
