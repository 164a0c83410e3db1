/** PURE. Translates Docker's report on one container at one instant. */
import type Docker from 'dockerode';
import type { ObservedWorkload } from '../../../deployment/workload/workload.ts';
import type { ContainerState } from '../../readiness/container-state.ts';
import type { Exit } from './exits.ts';

/** `lastExit`: how it ended last, in any current state. `wasHealthy`: it was healthy at some time since its start. */
export function containerStateOf(
  { State, RestartCount }: Docker.ContainerInspectInfo,
  startedAtMs: number,
  lastExit: Exit | undefined,
  wasHealthy: boolean,
): ContainerState {
  const phase = phaseOf(State.Status);
  const hasEnded = State.Restarting || phase === 'exited';
  const health = State.Health && State.Health.Status !== 'none' ? State.Health : undefined;
  return {
    phase,
    startedAtMs,
    restarts: RestartCount,
    pid: State.Pid,
    ...(hasEnded && lastExit && { exit: lastExit }),
    ...(health && {
      health: {
        isHealthy: health.Status === 'healthy',
        wasHealthy,
        output: (health.Log?.at(-1)?.Output ?? '').trim(),
      },
    }),
  };
}

/** Between two restarts the engine will start it again. A paused container has not exited either. */
export function phaseOf(status: string): ObservedWorkload['phase'] {
  switch (status) {
    case 'created':
      return 'created';
    case 'running':
    case 'restarting':
    case 'paused':
      return 'running';
    default:
      return 'exited';
  }
}
