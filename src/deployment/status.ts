/** Status: how each pod does, and whether the whole can still become ready. In words for the deployment's owner. */
import type { Instant, PodStatus } from './deployment.ts';
import type { Desired } from './desired.ts';
import { type Match, matchWorkloads } from './plan.ts';
import type { Observed, WorkloadName } from './workload.ts';

type Running = Extract<Desired, { kind: 'running' }>;

/** A service that has crashed this often is not going to come up: Docker's back-off then waits longer than 3 s. */
const crashLimit = 5;

/** One status per pod, in start order; a pod's replicas are summed up by their worst. */
export function podStatuses(desired: Running, observed: Observed): PodStatus[] {
  const statuses = new Map<string, PodStatus>();
  const severity = ['ready', 'starting', 'waiting', 'failed'];
  for (const match of matchWorkloads(desired, observed)) {
    const status = statusOf(match);
    const known = statuses.get(status.name);
    if (!known || severity.indexOf(status.state) > severity.indexOf(known.state)) statuses.set(status.name, status);
  }
  return [...statuses.values()];
}

function statusOf({ wanted, found }: Match): PodStatus {
  const name = wanted.workload.pod;
  if (!found) return { name, state: 'waiting' };
  if (found.isReady) return { name, state: 'ready' };
  const message = found.notReadyBecause;
  const state = hasGivenUp({ wanted, found }) ? 'failed' : 'starting';
  return { name, state, ...(message !== undefined && { message }) };
}

function hasGivenUp({ wanted, found }: Match): boolean {
  if (!found || found.isReady) return false;
  if (wanted.workload.readiness.kind === 'exit') return found.phase === 'exited';
  return found.restarts >= crashLimit;
}

export type Verdict =
  | { kind: 'ready' }
  | { kind: 'pending' }
  | { kind: 'given-up'; because: string; workload?: WorkloadName };

/**
 * Ready when every workload is; given up when a pod has failed for good, or nothing has moved for `deadlineMs`
 * since `progressedAt`.
 */
export function judge(
  desired: Running,
  observed: Observed,
  { now, progressedAt, deadlineMs }: { now: Instant; progressedAt: Instant; deadlineMs: number },
): Verdict {
  const matches = matchWorkloads(desired, observed);
  const unready = matches.filter(({ found }) => !found?.isReady);
  if (unready.length === 0) return { kind: 'ready' };
  const crashed = unready.find(hasGivenUp);
  if (crashed) return givenUp(crashed, '');
  if (now - progressedAt < deadlineMs) return { kind: 'pending' };
  return givenUp(unready[0]!, `, and nothing has moved for ${printMinutes(deadlineMs)}`);
}

function givenUp(match: Match, suffix: string): Verdict {
  const because = `${reason(match)}${suffix}`;
  return { kind: 'given-up', because, ...(match.found && { workload: match.found.name }) };
}

function reason({ wanted, found }: Match): string {
  const often = found && found.restarts > 0 ? ` (restarted ${found.restarts} times)` : '';
  return `pod ${wanted.workload.pod}: ${found?.notReadyBecause ?? 'is not ready'}${often}`;
}

function printMinutes(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}
