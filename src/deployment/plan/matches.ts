/** PURE. Matches desired workloads with those that run for them. */
import type { DesiredWorkload, Running } from '../desired.ts';
import type { Observed, ObservedWorkload, Workload } from '../workload/workload.ts';

/** A desired workload and the observed one that matches it, if any. */
export type Match = { wanted: DesiredWorkload; found: ObservedWorkload | undefined };

/** Matches by fingerprint: a pod that an update does not change keeps its workload of an older revision. */
export function matchWorkloads(desired: Running, { workloads }: Observed): Match[] {
  return desired.workloads.map((wanted) => {
    const { pod, replica, fingerprint } = wanted.workload;
    const candidates = workloads.filter(
      (found) => found.pod === pod && found.replica === replica && found.fingerprint === fingerprint,
    );
    // After a crash during an update, two can exist: keep the ready one, otherwise the newest.
    const found = candidates.toSorted((a, b) => Number(b.isReady) - Number(a.isReady) || b.revision - a.revision)[0];
    return { wanted, found };
  });
}

/** Returns observed workloads without a match. */
export function outdatedWorkloads(matches: Match[], { workloads }: Observed): ObservedWorkload[] {
  const kept = new Set(matches.map(({ found }) => found?.name));
  return workloads.filter(({ name }) => !kept.has(name));
}

export function isPodReady(pod: string, matches: Match[]): boolean {
  return matches.filter(({ wanted }) => wanted.workload.pod === pod).every(({ found }) => found?.isReady);
}

/** Returns whether the workload has ended for good. A failed job stays ended; a failed service does not. */
export function isOver({ readiness }: Pick<Workload, 'readiness'>, { phase, isReady }: ObservedWorkload): boolean {
  return phase === 'exited' && (readiness.kind === 'exit' || isReady);
}
