/** What is counted: what workloads use of their machine, what volumes hold, what the edge has sent to addresses. */
import type { Instant } from '../deployment.ts';

/** What is counted since the workload's start begins at 0 with each start. */
export type Used = {
  /** Milliseconds that it has computed, on all processors together. */
  cpuMs: number;
  /** What it holds, without what the kernel keeps of files and can drop at any time. */
  memoryBytes: number;
  receivedBytes: number;
  sentBytes: number;
};

export type WorkloadUse = Used & {
  deploymentId: string;
  pod: string;
  revision: number;
  replica: number;
  /** When it was started the last time. */
  startedAt: Instant;
  /** 1000 for one processor; absent without a limit. */
  cpuLimitMillis?: number;
  memoryLimitBytes?: number;
};

/** Of a volume with a hard limit. */
export type VolumeUse = { deploymentId: string; volume: string; usedBytes: number; sizeBytes: number };

/**
 * What an edge has sent to the workloads of a deployment since it was started. `tookWithin[i]`: answers whose head came
 * within `answerBoundsMs[i]` and no earlier bound; the last one has those that took longer than all of them.
 */
export type RequestCounts = {
  requests: number;
  clientErrors: number;
  serverErrors: number;
  tookWithin: readonly number[];
};

/** Milliseconds from when the edge passes a request on until it has the head of the answer. */
export const answerBoundsMs = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000] as const;
