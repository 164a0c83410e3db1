/** PURE. Matches desired workloads with those that run for them. */
import type { DesiredWorkload, Running } from '../desired.ts';
import type { Observed, ObservedWorkload, Workload } from '../workload/workload.ts';

/** A desired workload with the one that runs for it, if any does. */
export type Match = { wanted: DesiredWorkload; found: ObservedWorkload | undefined };

/** An equal fingerprint is enough: a pod that an update leaves as it was keeps its workload of an older revision. */
export function matchWorkloads(desired: Running, { workloads }: Observed): Match[] {
  return desired.workloads.map((wanted) => {
    const { pod, replica, fingerprint } = wanted.workload;
    const candidates = workloads.filter(
      (found) => found.pod === pod && found.replica === replica && found.fingerprint === fingerprint,
    );
    // Two of the same can exist after a crash in mid-update: keep the ready one, else the newest.
    const found = candidates.toSorted((a, b) => Number(b.isReady) - Number(a.isReady) || b.revision - a.revision)[0];
    return { wanted, found };
  });
}

/** Observed workloads that no desired one matches. */
export function outdatedWorkloads(matches: Match[], { workloads }: Observed): ObservedWorkload[] {
  const kept = new Set(matches.map(({ found }) => found?.name));
  return workloads.filter(({ name }) => !kept.has(name));
}

export function isPodReady(pod: string, matches: Match[]): boolean {
  return matches.filter(({ wanted }) => wanted.workload.pod === pod).every(({ found }) => found?.isReady);
}

/** A job that has ended stays ended, even if it failed; a service only if its end was a good one. */
export function isOver({ readiness }: Pick<Workload, 'readiness'>, { phase, isReady }: ObservedWorkload): boolean {
  return phase === 'exited' && (readiness.kind === 'exit' || isReady);
}
