/** The states of a deployment and the triggers between them. */
import type { DeploymentState } from '../deployment.ts';

export type Trigger =
  /** The owner has sent a new revision. */
  | 'updated'
  /** The same revision starts again: after a stop, or because a pod is restarted. */
  | 'begun-again'
  /** All workloads of the desired revision are ready and routed. */
  | 'ready'
  /** It cannot become ready. The explanation has the reason. */
  | 'given-up'
  /** It was removed, or its time limit was reached. */
  | 'ended'
  /** It was restored during the grace time. */
  | 'restored';

const transitions: Record<DeploymentState, Partial<Record<Trigger, DeploymentState>>> = {
  // An ended deployment keeps its state until its next visit, and can be restored before that.
  deploying: {
    updated: 'deploying',
    'begun-again': 'deploying',
    ready: 'running',
    'given-up': 'failed',
    ended: 'expired',
    restored: 'deploying',
  },
  running: {
    updated: 'deploying',
    'begun-again': 'deploying',
    ready: 'running',
    'given-up': 'failed',
    ended: 'expired',
    restored: 'deploying',
  },
  // A failed deployment runs again if its pods recover.
  failed: {
    updated: 'deploying',
    'begun-again': 'deploying',
    ready: 'running',
    'given-up': 'failed',
    ended: 'expired',
    restored: 'deploying',
  },
  expired: { ended: 'expired', restored: 'deploying' },
};

/**
 * Returns the state after a trigger; the same state if the trigger does not apply. Only a restore revives an expired
 * deployment.
 */
export function nextState(state: DeploymentState, trigger: Trigger): DeploymentState {
  return transitions[state][trigger] ?? state;
}
