/** The states of a deployment and what moves it from one to the next. */
import type { DeploymentState } from '../deployment.ts';

export type Trigger =
  /** A new revision was asked for. */
  | 'updated'
  /** Every workload of the wanted revision is ready and routed. */
  | 'ready'
  /** It cannot become ready: in words elsewhere. */
  | 'given-up'
  /** Removed, or past its time limit. */
  | 'ended';

const transitions: Record<DeploymentState, Partial<Record<Trigger, DeploymentState>>> = {
  deploying: { updated: 'deploying', ready: 'running', 'given-up': 'failed', ended: 'expired' },
  running: { updated: 'deploying', ready: 'running', 'given-up': 'failed', ended: 'expired' },
  // A pod that recovers by itself makes a failed deployment run again.
  failed: { updated: 'deploying', ready: 'running', 'given-up': 'failed', ended: 'expired' },
  expired: { ended: 'expired' },
};

/** The state after a trigger; the same state where the trigger means nothing to it (nothing revives an expired one). */
export function nextState(state: DeploymentState, trigger: Trigger): DeploymentState {
  return transitions[state][trigger] ?? state;
}
