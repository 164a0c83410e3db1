/** The states of a deployment and what moves it from one to the next. */
import type { DeploymentState } from '../deployment.ts';

export type Trigger =
  /** A new revision was asked for. */
  | 'updated'
  /** The same revision is to become ready once more: after a stop, or with a pod that is restarted. */
  | 'begun-again'
  /** Every workload of the wanted revision is ready and routed. */
  | 'ready'
  /** It cannot become ready: in words elsewhere. */
  | 'given-up'
  /** Removed, or past its time limit. */
  | 'ended'
  /** Brought back while what it had was kept. */
  | 'restored';

const transitions: Record<DeploymentState, Partial<Record<Trigger, DeploymentState>>> = {
  // One that was removed, or is past its limit, keeps its state until its next visit: it can be restored before that.
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
  // A pod that recovers by itself makes a failed deployment run again.
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

/** The state after a trigger; the same state where the trigger means nothing to it (only a restore revives an expired one). */
export function nextState(state: DeploymentState, trigger: Trigger): DeploymentState {
  return transitions[state][trigger] ?? state;
}
