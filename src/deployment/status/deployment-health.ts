/**
 * PURE. The health of a deployment and of its pods at an instant, in one word each. The API, dashboard, pages and
 * commands all show this value.
 */
import { type Deployment, type Instant, isActive, messageOf, type PodStatus } from '../deployment.ts';
import { describeSuspension } from '../suspension.ts';
import { describeReason } from './reason.ts';
import { keepsRestarting } from './restarts.ts';

/**
 * `degraded`: it runs, but a pod keeps restarting or is not ready. `serving`: an update has failed, and an earlier
 * revision serves. `stopped`: stopped by the owner, or suspended by the operator. `asleep`: not used, or waking up.
 */
export const healths = [
  'deploying',
  'running',
  'degraded',
  'serving',
  'failed',
  'stopped',
  'asleep',
  'expired',
] as const;
export type Health = (typeof healths)[number];

/** `degraded`: it is ready and keeps restarting, or it was ready and no longer is. */
export type PodHealth = PodStatus['state'];

export type ShownPod = Omit<PodStatus, 'restartedAt' | 'settledRestarts'>;

export type Status = {
  health: Health;
  /** Details; may be empty. */
  message: string;
  pods: ShownPod[];
};

export function statusAt(deployment: Deployment, now: Instant): Status {
  const pods = deployment.pods.map((pod) => podAt(pod, now));
  const health = healthOf(deployment, pods, now);
  return { health, message: messageAt(deployment, health, pods), pods };
}

function podAt({ restartedAt, settledRestarts: _, ...pod }: PodStatus, now: Instant): ShownPod {
  if (pod.state !== 'ready' || !keepsRestarting({ restartedAt }, now)) return pod;
  const { restarts, lastExit } = pod;
  const ending = lastExit ? `, last ${lastExit.reason}` : '';
  const advice = lastExit?.hint === undefined ? '' : ` (${lastExit.hint})`;
  return { ...pod, state: 'degraded', message: `keeps restarting: ${restarts} times${ending}${advice}` };
}

function healthOf(deployment: Deployment, pods: readonly ShownPod[], now: Instant): Health {
  if (!isActive(deployment, now)) return 'expired';
  if (deployment.stoppedAt !== null || deployment.suspendedAt !== null) return 'stopped';
  if (deployment.sleep !== null || isWaking(deployment, now)) return 'asleep';
  const { state, revision, servingRevision } = deployment;
  switch (state) {
    case 'running':
      return pods.every((pod) => pod.state === 'ready') ? 'running' : 'degraded';
    case 'failed': {
      if (servingRevision === null || servingRevision === revision) return 'failed';
      // Pods of the failed update are being removed.
      const isLive = (pod: PodStatus) => pod.state === 'ready' || pod.revision > servingRevision;
      return deployment.pods.length > 0 && deployment.pods.every(isLive) ? 'serving' : 'failed';
    }
    default:
      return state;
  }
}

/** Afterwards, its pods show what is wrong. */
const longestWakeMs = 60_000;

function isWaking({ wakeRequestedAt }: Deployment, now: Instant): boolean {
  return wakeRequestedAt !== null && now - wakeRequestedAt < longestWakeMs;
}

function messageAt(deployment: Deployment, health: Health, pods: readonly ShownPod[]): string {
  const { explanation } = deployment;
  if (health === 'stopped' && deployment.suspendedAt !== null) return describeSuspension(deployment);
  if (health === 'stopped') return 'stopped by its owner';
  if (health === 'asleep') return deployment.sleep === null ? 'waking up' : 'not used; the next request wakes it up';
  if (explanation === null) return health === 'degraded' ? describeWorstPod(pods) : '';
  if (explanation.kind !== 'failed' || explanation.servingRevision === undefined || health !== 'failed')
    return messageOf(deployment);
  const { servingRevision, ...why } = explanation;
  const ending = pods.some(({ state }) => state === 'failed') ? 'has failed too' : 'is coming back';
  return `${describeReason(why)}; revision ${servingRevision} ${ending}: ${describeWorstPod(pods)}`;
}

function describeWorstPod(pods: readonly ShownPod[]): string {
  const worst = worstFirst.flatMap((wanted) => pods.find(({ state }) => state === wanted) ?? [])[0];
  return worst ? `pod ${worst.name}: ${worst.message ?? worst.state}` : '';
}

/** Worst first. */
const worstFirst: PodHealth[] = ['failed', 'starting', 'waiting', 'degraded'];
