/** PURE. What Docker says about one container at one instant, in our words. */
import type Docker from 'dockerode';
import type { ObservedWorkload } from '../../../deployment/workload/workload.ts';
import type { Ending, Exit } from '../containers/exits.ts';

export type ContainerState = {
  phase: ObservedWorkload['phase'];
  /** Of the start that runs now or ran last, by the clock that never jumps. */
  startedAtMs: number;
  restarts: number;
  /** Absent while it runs; present between two restarts, although the phase is `running` then. */
  exit?: Exit;
  /** What the image's HEALTHCHECK says; absent when the container has none. */
  health?: { isHealthy: boolean; wasHealthy: boolean; output: string };
  pid: number;
};

/** `lastExit`: how it ended the last time, whatever it does now. `wasHealthy`: since its start it is known to have been. */
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

/** Why it ended, e.g. `exited with code 1`, `killed for memory (limit 512 MiB)`, and what to do about it. */
export function exitReason({ code, isOutOfMemory, memoryBytes }: Ending): { words: string; hint?: string } {
  if (isOutOfMemory) {
    const words = `killed for memory (limit ${Math.round(memoryBytes / 2 ** 20)} MiB)`;
    return { words, hint: 'raise resources.limits.memory' };
  }
  const meaning = exitMeanings[code];
  const words = `exited with code ${code}${meaning ? `, ${meaning}` : ''}`;
  const hint = exitHints[code];
  return { words, ...(hint && { hint }) };
}

/** Conventions of shells and of the init process; 128 + n is signal n. */
const exitMeanings: Record<number, string> = {
  126: 'the command cannot be executed',
  127: 'command not found',
  134: 'aborted',
  137: 'killed',
  139: 'segmentation fault',
  143: 'terminated',
};

const exitHints: Record<number, string> = {
  0: 'a service has to go on running; what ends is a job',
  126: 'check its command and entrypoint',
  127: 'check its command and entrypoint',
};

/** Between two restarts nobody has to start it: the engine will. A paused one has not exited either. */
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
