/** Status: how each pod does, and whether the whole can still become ready. In words for the deployment's owner. */
import type { Instant, PodStatus } from './deployment.ts';
import type { Desired } from './desired.ts';
import { type Match, matchWorkloads } from './plan.ts';
import type { Observed, Stuck, WorkloadName } from './workload.ts';

type Running = Extract<Desired, { kind: 'running' }>;

/** A service that has crashed this often is not going to come up: Docker's back-off then waits longer than 3 s. */
const crashLimit = 5;

export type Circumstances = {
  /** The deployment has failed, and so have those pods that are still on their way. */
  hasFailed?: boolean;
  /** Images that are on their way. */
  pulling?: ReadonlySet<string>;
};

/** One status per pod, in start order; a pod's replicas are summed up by their worst. */
export function podStatuses(desired: Running, observed: Observed, circumstances: Circumstances = {}): PodStatus[] {
  const statuses = new Map<string, PodStatus>();
  const severity = ['ready', 'starting', 'waiting', 'failed'];
  for (const match of matchWorkloads(desired, observed)) {
    const status = statusOf(match, circumstances);
    const known = statuses.get(status.name);
    if (!known || severity.indexOf(status.state) > severity.indexOf(known.state)) statuses.set(status.name, status);
  }
  return [...statuses.values()];
}

function statusOf({ wanted, found }: Match, { hasFailed, pulling }: Circumstances): PodStatus {
  const { pod: name, image } = wanted.workload;
  if (!found) return { name, state: 'waiting', ...(pulling?.has(image) && { message: 'its image is on its way' }) };
  if (found.isReady) return { name, state: 'ready' };
  const message = found.notReadyBecause;
  const state = hasFailed || hasGivenUp({ wanted, found }) ? 'failed' : 'starting';
  return { name, state, ...(message !== undefined && { message }) };
}

function hasGivenUp({ wanted, found }: Match): boolean {
  if (!found || found.isReady) return false;
  if (found.phase === 'evicted') return true;
  if (wanted.workload.readiness.kind === 'exit') return found.phase === 'exited';
  // Whoever looks for the first time while it runs once more does not know yet how it ended; it will end again.
  return found.restarts >= crashLimit && found.lastExit !== undefined;
}

export type Verdict =
  | { kind: 'ready' }
  /** `lookAgainAt`: when waiting on may have become hopeless although nothing has changed. */
  | { kind: 'pending'; lookAgainAt: Instant }
  | { kind: 'given-up'; because: string; hint?: string; workload?: WorkloadName };

export type Patience = {
  /** Without any progress, whatever the reason. */
  deadlineMs: number;
  /** With who listens, but not where he should. */
  listenMs: number;
};

/** Who listens elsewhere is looked at this often meanwhile: between two looks it is told whether it works or waits. */
const looksWhileListening = 5;

/**
 * Ready when every workload is; given up when a pod has failed for good, does something else than become ready for too
 * long, or nothing has moved since `progressedAt`. One that runs already is given the whole deadline to come back.
 */
export function judge(
  desired: Running,
  observed: Observed,
  clock: { now: Instant; progressedAt: Instant; patience: Patience; isRunning: boolean },
): Verdict {
  const { now, progressedAt, patience, isRunning } = clock;
  const unready = matchWorkloads(desired, observed).filter(({ found }) => !found?.isReady);
  if (unready.length === 0) return { kind: 'ready' };
  const crashed = unready.find(hasGivenUp);
  if (crashed) return givenUp(crashed, '');
  const stuck = isRunning ? [] : unready.flatMap((match) => stuckIn(match, patience));
  const hopeless = stuck.find(({ since, patienceMs }) => now - since >= patienceMs);
  if (hopeless) return givenUp(hopeless.match, `, for ${printSpan(hopeless.patienceMs)}`);
  if (now - progressedAt >= patience.deadlineMs)
    return givenUp(unready[0]!, `, and nothing has moved for ${printSpan(patience.deadlineMs)}`);
  const looks = stuck.flatMap(({ by, since, patienceMs }) => [
    since + patienceMs,
    ...(by === 'listening' ? [now + patienceMs / looksWhileListening] : []),
  ]);
  return { kind: 'pending', lookAgainAt: Math.min(progressedAt + patience.deadlineMs, ...looks) };
}

/** A health check is given as long as it would need to make a running pod unhealthy. */
function stuckIn(match: Match, { listenMs }: Patience): (Stuck & { match: Match; patienceMs: number })[] {
  const { readiness } = match.wanted.workload;
  const stuck = match.found?.stuck;
  if (!stuck) return [];
  if (stuck.by === 'listening') return [{ ...stuck, match, patienceMs: listenMs }];
  if (readiness.kind !== 'http') return [];
  return [{ ...stuck, match, patienceMs: readiness.failureThreshold * readiness.periodSeconds * 1000 }];
}

function givenUp(match: Match, suffix: string): Verdict {
  const { wanted, found } = match;
  // Of a crash loop the crash is the reason, and not what the next start has not done yet.
  const exit = hasGivenUp(match) ? found?.lastExit : undefined;
  const { words, hint } = exit ?? { words: found?.notReadyBecause ?? 'is not ready', hint: found?.hint };
  const because = `pod ${wanted.workload.pod}: ${repetition(match)}${words}${suffix}`;
  return { kind: 'given-up', because, ...(hint !== undefined && { hint }), ...(found && { workload: found.name }) };
}

function repetition(match: Match): string {
  const restarts = match.found?.restarts ?? 0;
  if (restarts === 0) return '';
  if (match.wanted.workload.readiness.kind === 'exit') return `tried ${restarts + 1} times, `;
  return `${hasGivenUp(match) ? 'crash loop, ' : ''}restarted ${restarts} times, `;
}

function printSpan(ms: number): string {
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}
