/** PURE. Changes that keep the revision: stop, start again, restart a pod. */
import { type Result, refuse, succeed } from '../lib/problem.ts';
import type { Deployment, Instant } from './deployment.ts';
import { wantedRevision } from './desired.ts';
import { nextState } from './status/lifecycle.ts';

type Change = Partial<
  Pick<
    Deployment,
    'state' | 'progress' | 'explanation' | 'lastLines' | 'pods' | 'stoppedAt' | 'restarts' | 'progressedAt'
  >
>;

/** Stops a deployment; its state does not change. Returns undefined if it is stopped already. */
export function stop({ stoppedAt }: Deployment, now: Instant): Change | undefined {
  return stoppedAt === null ? { stoppedAt: now, pods: [] } : undefined;
}

/** Starts a stopped deployment. Returns undefined if it is not stopped. */
export function startAgain(deployment: Deployment, now: Instant): Change | undefined {
  if (deployment.stoppedAt === null) return undefined;
  return { ...beginAgain(deployment, now), stoppedAt: null, pods: [] };
}

/** Restarts a pod. The value is undefined if an earlier restart has not begun. `pods`: the names of all pods. */
export function restartPod(
  deployment: Deployment,
  { pod, pods }: { pod: string; pods: readonly string[] },
  now: Instant,
): Result<Change | undefined> {
  const { applicationName: name, restarts } = deployment;
  if (!pods.includes(pod))
    return refuse('invalid_request', `Application ${name} has no pod ${pod}.`, `It has ${pods.join(', ')}.`);
  if (deployment.stoppedAt !== null) {
    return refuse('application_stopped', `Application ${name} is stopped.`, 'POST /startApplication starts it again.');
  }
  const known = deployment.pods.find((each) => each.name === pod);
  if (known?.state === 'waiting') return succeed(undefined);
  const count = Object.hasOwn(restarts, pod) ? restarts[pod]! : 0;
  return succeed({
    ...beginAgain(deployment, now),
    restarts: { ...restarts, [pod]: count + 1 },
    pods: deployment.pods.map((each) => (each.name === pod ? waiting(each) : each)),
  });
}

/** After a failed update, the serving revision starts again, and the deployment stays failed. */
export function beginAgain(deployment: Deployment, now: Instant): Change {
  if (wantedRevision(deployment) !== deployment.revision) return { progressedAt: now };
  const state = nextState(deployment.state, 'begun-again');
  return { state, progress: 0, explanation: null, lastLines: [], progressedAt: now };
}

function waiting({ message: _, healthCheckBody: __, pulling: ___, ...pod }: Deployment['pods'][number]) {
  return { ...pod, state: 'waiting' as const };
}
