/**
 * PURE. How a deployment does at an instant, in one word, and how each of its pods does. Whoever shows a deployment
 * (API, dashboard, pages, commands) shows this and nothing of its own making.
 */
import {
  type Deployment,
  type DeploymentState,
  type Instant,
  isActive,
  messageOf,
  type PodStatus,
} from './deployment.ts';
import { keepsRestarting } from './restarts.ts';

export type Health =
  | DeploymentState
  /** It runs, and a pod keeps restarting or is not ready. */
  | 'degraded'
  /** An update has failed, and an earlier revision serves. */
  | 'serving';

/** `degraded`: it is ready, and keeps restarting. */
export type PodHealth = PodStatus['state'] | 'degraded';

export type ShownPod = Omit<PodStatus, 'state' | 'restartedAt' | 'settledRestarts'> & { state: PodHealth };

export type Status = {
  health: Health;
  /** What is to be told beside it; the empty text when nothing is. */
  message: string;
  pods: ShownPod[];
};

export function statusAt(deployment: Deployment, now: Instant): Status {
  const pods = deployment.pods.map((pod) => podAt(pod, now));
  const health = healthOf(deployment, pods, now);
  return { health, message: messageOf(deployment) || (health === 'degraded' ? troubleOf(pods) : ''), pods };
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
  const { state, revision, servingRevision } = deployment;
  const isLive = (pod: ShownPod) => pod.state === 'ready' || pod.state === 'degraded';
  switch (state) {
    case 'running':
      return pods.every((pod) => pod.state === 'ready') ? 'running' : 'degraded';
    case 'failed': {
      const hasEarlier = servingRevision !== null && servingRevision !== revision;
      return hasEarlier && pods.length > 0 && pods.every(isLive) ? 'serving' : 'failed';
    }
    default:
      return state;
  }
}

function troubleOf(pods: readonly ShownPod[]): string {
  const troubled = pods.filter(({ state }) => state !== 'ready');
  const worst = troubled.find(({ state }) => state !== 'degraded') ?? troubled[0];
  return worst ? `pod ${worst.name}: ${worst.message ?? worst.state}` : '';
}
