/** The status of each pod, and whether the deployment can still become ready. Messages are for its owner. */

import type { Deployment, Instant, PodStatus } from '../deployment.ts';
import { hasFailed, type Running } from '../desired.ts';
import { type Match, matchWorkloads } from '../plan/matches.ts';
import type { Observed, Stuck, WorkloadName } from '../workload/workload.ts';
import type { Pulled } from './deployment-progress.ts';
import { shownBeginning } from './health-check-answer.ts';
import type { Reason } from './reason.ts';
import { lastExitOf, rememberRestarts, restartsOf } from './restarts.ts';

/** After this many crashes, a service counts as failed. Docker's backoff then exceeds 3 s. */
const crashLimit = 5;

export type Circumstances = {
  now: Instant;
  /** The pods at the last observation. */
  before?: readonly PodStatus[];
  /** Whether the whole revision has been ready before. */
  isServing?: boolean;
  /**
   * Whether the deployment has failed and has no other revision to run. Failed pods stay failed until they are ready.
   */
  hasFailed?: boolean;
  /** Pods that cause the failure now, with the reason if no workload has one. */
  blamed?: ReadonlyMap<string, string | undefined>;
  /** Images that are being pulled. */
  pulling?: ReadonlyMap<string, Pulled>;
};

/** Returns the statuses of a deployment's pods. */
export function podsOf(
  deployment: Deployment,
  desired: Running,
  observed: Observed,
  news: Pick<Circumstances, 'now' | 'blamed' | 'pulling'>,
): PodStatus[] {
  const isServing = deployment.servingRevision === desired.revision;
  return podStatuses(desired, observed, {
    ...news,
    before: deployment.pods,
    isServing,
    hasFailed: hasFailed(deployment),
  });
}

/** Returns the pods for a new revision, without the failures of the previous one. */
export function withoutFailures(pods: readonly PodStatus[]): PodStatus[] {
  return pods.map((pod) => {
    if (pod.state === 'ready') return pod;
    const { message: _, healthCheckBody: __, pulling: ___, ...rest } = pod;
    return { ...rest, state: pod.state === 'failed' ? 'waiting' : pod.state };
  });
}

/** Responses of containers may contain their secrets. */
export function withoutSecrets(observed: Observed, redact: (text: string) => string): Observed {
  const workloads = observed.workloads.map((workload) => {
    const { notReadyBecause: because, healthCheckBody: body } = workload;
    if (because === undefined) return workload;
    return {
      ...workload,
      notReadyBecause: redact(because),
      ...(body !== undefined && { healthCheckBody: shownBeginning(redact(body)) }),
    };
  });
  return { ...observed, workloads };
}

/** Returns one status per pod, in start order. The worst replica determines the status. */
export function podStatuses(desired: Running, observed: Observed, circumstances: Circumstances): PodStatus[] {
  const replicas = Map.groupBy(matchWorkloads(desired, observed), ({ wanted }) => wanted.workload.pod);
  return [...replicas].map(([name, matches]) => {
    const before = circumstances.before?.find((pod) => pod.name === name);
    const { match, ...condition } = worstOf(
      matches.map((match) => ({ match, ...statusOf(match, before, circumstances) })),
    );
    const lastExit = lastExitOf(matches);
    return {
      name,
      ...condition,
      image: match.wanted.workload.image,
      revision: match.found?.revision ?? match.wanted.workload.revision,
      restarts: restartsOf(matches),
      ...(lastExit && { lastExit }),
      ...rememberRestarts(before, matches, { isServing: circumstances.isServing ?? false, now: circumstances.now }),
    };
  });
}

type PodCondition = Pick<PodStatus, 'state' | 'message' | 'pulling' | 'healthCheckBody'>;

const severity = ['ready', 'degraded', 'starting', 'waiting', 'failed'];

function worstOf<T extends PodCondition>(all: T[]): T {
  return all.toSorted((a, b) => severity.indexOf(b.state) - severity.indexOf(a.state))[0]!;
}

/** Returns the status of one replica. A replica that waits or is starting has not failed. */
function statusOf(match: Match, before: PodStatus | undefined, circumstances: Circumstances): PodCondition {
  const { found, wanted } = match;
  const { hasFailed = false, blamed, pulling } = circumstances;
  if (found?.isReady) return { state: 'ready' };
  const { pod, image } = wanted.workload;
  const wasBlamed = hasFailed && before?.state === 'failed';
  const isFailed = wasBlamed || blamed?.has(pod) || hasGivenUp(match, before);
  if (found) {
    const { notReadyBecause, hint, healthCheckBody } = found;
    const evidence = healthCheckBody ? { healthCheckBody } : {};
    const state = wasWell(match, before, circumstances) ? 'degraded' : 'starting';
    return { state: isFailed ? 'failed' : state, ...said(notReadyBecause, hint), ...evidence };
  }
  if (isFailed) return { state: 'failed', ...said(blamed?.get(pod) ?? before?.message) };
  const pulled = pulling?.get(image);
  if (!pulled) return { state: 'waiting' };
  return { state: 'waiting', message: 'its image is being downloaded', ...(pulled.bytes && { pulling: pulled.bytes }) };
}

/** Returns whether the replica was ready before, since the same start and in the serving revision. */
function wasWell(
  { wanted, found }: Match,
  before: PodStatus | undefined,
  { isServing = false }: Circumstances,
): boolean {
  if (!isServing || !before || found?.phase !== 'running' || found.revision !== before.revision) return false;
  const isSameStart = before.settledRestarts[wanted.workload.replica] === found.restarts;
  return isSameStart && (before.state === 'ready' || before.state === 'degraded');
}

function said(words: string | undefined, hint?: string): Pick<PodStatus, 'message'> {
  if (words === undefined) return {};
  return { message: hint === undefined ? words : `${words} (${hint})` };
}

/**
 * Returns whether the workload has failed for good. `before`: the pod at the last observation; earlier restarts do not
 * count.
 */
function hasGivenUp({ wanted, found }: Match, before?: Pick<PodStatus, 'settledRestarts'>): boolean {
  if (!found || found.isReady) return false;
  if (found.phase === 'evicted') return true;
  if (wanted.workload.readiness.kind === 'exit') return found.phase === 'exited';
  const settled = before?.settledRestarts[wanted.workload.replica] ?? 0;
  // During a restart, the last exit may be unknown. It will exit again.
  return found.restarts - settled >= crashLimit && found.lastExit !== undefined;
}

export type Verdict =
  | { kind: 'ready' }
  /** `lookAgainAt`: when the verdict may change without another event. */
  | { kind: 'pending'; lookAgainAt: Instant }
  /** `workload`: the workload whose log explains the failure. */
  | ({ kind: 'given-up'; workload?: WorkloadName } & Reason);

export type Patience = {
  /** For a deployment without any progress. */
  deadlineMs: number;
  /** For a pod that listens only on other ports. */
  listenMs: number;
};

/** How often a pod that listens on other ports is checked before it fails. */
const looksWhileListening = 5;

export type Clock = { now: Instant; progressedAt: Instant; patience: Patience; isRunning: boolean };

/**
 * Returns `ready` when all workloads are ready. Returns `given-up` when a pod has failed for good, fails its check or
 * listens on other ports for too long, or when nothing has changed since `progressedAt` for the deadline. A running
 * deployment always gets the whole deadline. `before`: the pods at the last observation.
 */
export function judge(desired: Running, observed: Observed, clock: Clock, before: readonly PodStatus[] = []): Verdict {
  const { now, progressedAt, patience } = clock;
  const unready = unreadyOf(desired, observed);
  if (unready.length === 0) return { kind: 'ready' };
  const hopeless = hopelessOf(unready, clock, before)[0];
  if (hopeless) return givenUp(hopeless, before);
  const looks = stuckOf(unready, clock).flatMap(({ by, since, patienceMs }) => [
    since + patienceMs,
    ...(by === 'listening' ? [now + patienceMs / looksWhileListening] : []),
  ]);
  return { kind: 'pending', lookAgainAt: Math.min(progressedAt + patience.deadlineMs, ...looks) };
}

/** Returns the pods that cause a `given-up` verdict, without pods that only wait for them or are still starting. */
export function failedPods(
  desired: Running,
  observed: Observed,
  clock: Clock,
  before: readonly PodStatus[],
): Map<string, undefined> {
  const hopeless = hopelessOf(unreadyOf(desired, observed), clock, before);
  return new Map(hopeless.map(({ match }) => [match.wanted.workload.pod, undefined]));
}

function unreadyOf(desired: Running, observed: Observed): Match[] {
  return matchWorkloads(desired, observed).filter(({ found }) => !found?.isReady);
}

/** `suffix`: how long the state has lasted; '' if that is not the reason. */
type Hopeless = { match: Match; suffix: string };

/** Returns the workloads of the first reason that applies: failed for good, stuck, or over the deadline. */
function hopelessOf(unready: Match[], clock: Clock, before: readonly PodStatus[]): Hopeless[] {
  const { now, progressedAt, patience } = clock;
  const crashed = unready.filter((match) => hasGivenUp(match, statusIn(before, match)));
  if (crashed.length > 0) return crashed.map((match) => ({ match, suffix: '' }));
  const stuck = stuckOf(unready, clock).filter(({ since, patienceMs }) => now - since >= patienceMs);
  if (stuck.length > 0)
    return stuck.map(({ match, patienceMs }) => ({ match, suffix: `, unchanged for ${printSpan(patienceMs)}` }));
  if (now - progressedAt < patience.deadlineMs) return [];
  const suffix = `, and nothing has changed for ${printSpan(patience.deadlineMs)}`;
  // A workload that is not started waits for one that is.
  const started = unready.filter(({ found }) => found);
  return (started.length > 0 ? started : unready.slice(0, 1)).map((match) => ({ match, suffix }));
}

function statusIn(pods: readonly PodStatus[], { wanted }: Match): PodStatus | undefined {
  return pods.find(({ name }) => name === wanted.workload.pod);
}

function stuckOf(unready: Match[], { patience, isRunning }: Clock) {
  return isRunning ? [] : unready.flatMap((match) => stuckIn(match, patience));
}

/** A command fails while its program starts, like a refused connection, with any interval of the check. */
const minCommandMs = 30_000;

/**
 * Returns how long a stuck workload is tolerated: the start period of its health check, plus the time in which the
 * check makes a running pod unhealthy. A pod that listens on other ports gets at least as much, because its owner chose
 * these times.
 */
function stuckIn(match: Match, { listenMs }: Patience): (Stuck & { match: Match; patienceMs: number })[] {
  const { readiness } = match.wanted.workload;
  const stuck = match.found?.stuck;
  if (!stuck) return [];
  if (stuck.by === 'listening' && readiness.kind === 'port') {
    const { startPeriodSeconds = 0 } = readiness;
    return [{ ...stuck, match, patienceMs: Math.max(startPeriodSeconds * 1000, listenMs) }];
  }
  if (readiness.kind !== 'http' && readiness.kind !== 'command') return [];
  const { failureThreshold, periodSeconds, startPeriodSeconds = 0 } = readiness;
  const checkMs = (startPeriodSeconds + failureThreshold * periodSeconds) * 1000;
  const minMs = stuck.by === 'listening' ? listenMs : readiness.kind === 'command' ? minCommandMs : 0;
  return [{ ...stuck, match, patienceMs: Math.max(checkMs, minMs) }];
}

function givenUp({ match, suffix }: Hopeless, before: readonly PodStatus[]): Verdict {
  const { wanted, found } = match;
  // In a crash loop, the reason is the last exit, not the state of the next start.
  const hasEnded = hasGivenUp(match, statusIn(before, match));
  const exit = hasEnded ? found?.lastExit : undefined;
  const words = exit?.reason ?? found?.notReadyBecause ?? 'is not ready';
  const { hint } = exit ?? found ?? {};
  const repeated = repetition(match, hasEnded);
  return {
    kind: 'given-up',
    pods: [wanted.workload.pod],
    because: `${words}${suffix}`,
    ...(repeated !== undefined && { repeated }),
    ...(hint !== undefined && { hint }),
    ...adviceFor(match, hasEnded),
    ...(found && { workload: found.name }),
  };
}

/** Suggests the port of a workload that listens only on one other port. */
function adviceFor({ wanted: { workload }, found }: Match, hasEnded: boolean): Pick<Reason, 'advice'> {
  const { readiness, pod } = workload;
  const open = found?.stuck?.by === 'listening' ? (found.stuck.open ?? []) : [];
  if (hasEnded || open.length !== 1 || (readiness.kind !== 'port' && readiness.kind !== 'http')) return {};
  return { advice: { kind: 'use-port', pod, port: open[0]!, instead: readiness.port } };
}

function repetition({ wanted, found }: Match, hasEnded: boolean): string | undefined {
  const restarts = found?.restarts ?? 0;
  if (restarts === 0) return undefined;
  if (wanted.workload.readiness.kind === 'exit') return `tried ${restarts + 1} times`;
  return `${hasEnded ? 'crash loop, ' : ''}restarted ${restarts === 1 ? 'once' : `${restarts} times`}`;
}

function printSpan(ms: number): string {
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}
