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

/**
 * Converts an edge's counters by address into requests by deployment. Addresses are reassigned, and counters restart at
 * 0 when the edge restarts or has not used an address for long, so differences to the previous call are counted. Its
 * only state is the previous counters.
 */

export const noRequests: RequestCounts = {
  requests: 0,
  clientErrors: 0,
  serverErrors: 0,
  tookWithin: Array.from({ length: answerBoundsMs.length + 1 }, () => 0),
};

type RequestTally = (
  counts: ReadonlyMap<string, RequestCounts>,
  ownerOf: (address: string) => string | undefined,
) => Map<string, RequestCounts>;

/** Returns the requests of each deployment since the previous call; none at the first call. */
export function createRequestTally(): RequestTally {
  let before: Map<string, { counts: RequestCounts; owner: string | undefined; isHeld: boolean }> | undefined;
  return (all, ownerOf) => {
    const known = before;
    before = new Map();
    const sums = new Map<string, RequestCounts>();
    for (const [address, counts] of all) {
      const last = known?.get(address);
      const holder = ownerOf(address);
      // These requests belong to the previous deployment of the address, because the switch happened between two calls.
      const owner = holder ?? last?.owner;
      before.set(address, { counts, owner, isHeld: holder !== undefined });
      if (!known || owner === undefined) continue;
      // The address was reassigned since the previous call. The requests of the two deployments cannot be separated, so
      // neither gets them.
      if (last?.isHeld && last.owner !== owner) continue;
      sums.set(owner, add(sums.get(owner) ?? noRequests, since(last?.counts, counts)));
    }
    return sums;
  };
}

function since(before: RequestCounts | undefined, now: RequestCounts): RequestCounts {
  if (!before || now.requests < before.requests) return now;
  return combine(now, before, (a, b) => Math.max(0, a - b));
}

export function add(one: RequestCounts, other: RequestCounts): RequestCounts {
  return combine(one, other, (a, b) => a + b);
}

function combine(one: RequestCounts, other: RequestCounts, operate: (a: number, b: number) => number): RequestCounts {
  return {
    requests: operate(one.requests, other.requests),
    clientErrors: operate(one.clientErrors, other.clientErrors),
    serverErrors: operate(one.serverErrors, other.serverErrors),
    tookWithin: one.tookWithin.map((count, index) => operate(count, other.tookWithin[index] ?? 0)),
  };
}
