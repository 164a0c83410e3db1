/** Counters: resource usage of workloads and volumes, and requests of the edge. */
import type { Instant } from '../deployment.ts';

/** Counters since the start of the workload restart at 0 with each start. */
export type Used = {
  /** Processor time in milliseconds, on all processors. */
  cpuMs: number;
  /** Memory use, without the kernel's reclaimable file cache. */
  memoryBytes: number;
  receivedBytes: number;
  sentBytes: number;
};

export type WorkloadUse = Used & {
  deploymentId: string;
  pod: string;
  revision: number;
  replica: number;
  /** The time of its last start. */
  startedAt: Instant;
  /** 1000 for one processor; absent without a limit. */
  cpuLimitMillis?: number;
  memoryLimitBytes?: number;
};

/** Usage of a volume with a hard limit. */
export type VolumeUse = { deploymentId: string; volume: string; usedBytes: number; sizeBytes: number };

/**
 * Requests that an edge has forwarded to the workloads of a deployment since its start. `tookWithin[i]`: responses
 * whose head arrived within `answerBoundsMs[i]` and no earlier bound; the last entry counts all slower responses.
 */
export type RequestCounts = {
  requests: number;
  clientErrors: number;
  serverErrors: number;
  tookWithin: readonly number[];
};

/** Milliseconds between forwarding a request and receiving the head of its response. */
export const answerBoundsMs = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000] as const;
