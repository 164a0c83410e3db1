/** PURE. Whether what is asked for still fits on the host. */
import { type Amount, amountBy } from './pod-resources.ts';

/** How large the host is, and how full. */
export type Capacity = {
  memoryBytes: number;
  cpuMillis: number;
  /** Where images, volumes and logs are. Absent where it cannot be seen from here: then nothing is decided by it. */
  disk?: Disk;
};

export type Disk = {
  usedBytes: number;
  freeBytes: number;
  /** Where volumes are, which may be another disk. */
  volumesFreeBytes?: number;
  volumesUsedBytes?: number;
};

export type BudgetRules = {
  /** Of the machine's memory, or in all. */
  memory: { share: number } | { bytes: number };
  /** Times the machine's processors: few applications compute at the same time. */
  cpuOvercommit: number;
  /** Kept free, for images and for the host itself. */
  diskFreeBytes: number;
  /** What may be given out, one to a container. */
  gpus: number;
};

/** What a host has only so much of. */
export type HostResource = 'memoryBytes' | 'cpuMillis' | 'diskBytes' | 'gpus';

/** What may be set aside in all; of the disk, what is free now beyond what must stay free. */
export type Budget = Pick<Amount, Exclude<HostResource, 'gpus'>> & {
  /** Absent: none. */
  gpus?: number;
  /** All memory of the machine: no container can have more. Absent, like the next one, where nobody knows. */
  machineMemoryBytes?: number;
  /** Of the disk, what would be free beyond what must stay free if nothing were on it. */
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

/** The smaller of both. */
function sizeOf({ usedBytes, freeBytes, volumesUsedBytes, volumesFreeBytes }: Disk): number {
  const volumes =
    volumesFreeBytes === undefined || volumesUsedBytes === undefined
      ? Number.POSITIVE_INFINITY
      : volumesUsedBytes + volumesFreeBytes;
  return Math.min(usedBytes + freeBytes, volumes);
}

/** Volumes, layers and logs are on either; the fuller one decides. */
export function freeOf({ freeBytes, volumesFreeBytes = freeBytes }: Disk): number {
  return Math.min(freeBytes, volumesFreeBytes);
}

export type Fit = { kind: 'fits' } | { kind: 'short'; resource: HostResource; asked: number };

/**
 * `committed`: what deployments have now. Who asks for nothing more of something is never refused for it. What the
 * disk holds is measured, not promised: volumes are mostly empty, and what fills them is missing from the free space.
 * What an empty host could not give either was refused before (`deployment-maximum.ts`).
 */
export function fits(
  budget: Budget,
  committed: Pick<Amount, Exclude<HostResource, 'diskBytes'>>,
  asked: Pick<Amount, HostResource>,
): Fit {
  const before = { ...committed, diskBytes: 0 };
  for (const resource of ['memoryBytes', 'cpuMillis', 'diskBytes', 'gpus'] as const) {
    if (asked[resource] > 0 && before[resource] + asked[resource] > (budget[resource] ?? 0)) {
      return { kind: 'short', resource, asked: asked[resource] };
    }
  }
  return { kind: 'fits' };
}

/** What an update asks for beyond what its deployment has. */
export function growth(from: Amount, to: Amount): Amount {
  return amountBy((key) => Math.max(0, to[key] - from[key]));
}
