/** PURE. Which deployments were in use between two measurements: they had requests, or their pods computed. */
import type { RequestCounts, WorkloadUse } from '../../deployment/metrics/use.ts';

/**
 * The share of one processor above which a deployment works on something. An idle Node, PostgreSQL or Redis uses
 * below 0.01.
 */
const busyShare = 0.1;

type Activity = (measured: {
  /** Since the previous measurement. */
  elapsedMs: number;
  uses: readonly WorkloadUse[] | undefined;
  requests: ReadonlyMap<string, RequestCounts> | undefined;
}) => Set<string>;

/** Returns the ids of active deployments at each call. Its only state is the processor time of the previous call. */
export function createActivity(): Activity {
  let before = new Map<string, number>();
  return ({ elapsedMs, uses = [], requests = new Map() }) => {
    const active = new Set<string>();
    for (const [id, counts] of requests) if (counts.requests > 0) active.add(id);
    const usedMs = new Map<string, number>();
    for (const { deploymentId, cpuMs } of uses) usedMs.set(deploymentId, (usedMs.get(deploymentId) ?? 0) + cpuMs);
    for (const [id, ms] of usedMs) {
      const spentMs = ms - (before.get(id) ?? ms);
      if (elapsedMs > 0 && spentMs / elapsedMs > busyShare) active.add(id);
    }
    before = usedMs;
    return active;
  };
}
