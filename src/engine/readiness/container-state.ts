/** PURE. The state of a container on any engine, and how it ended. */
import type { Instant, LastExit } from '../../deployment/deployment.ts';
import type { ObservedWorkload } from '../../deployment/workload/workload.ts';

/**
 * `memoryBytes`: its limit; 0 without one. `evictedFor`: its machine stopped it for this reason, so the exit code means
 * nothing. `isStopped`: it was stopped together with its engine.
 */
export type Ending = {
  code: number;
  isOutOfMemory: boolean;
  memoryBytes: number;
  evictedFor?: 'disk' | 'memory';
  isStopped?: true;
};

export type Ended = Ending & { at: Instant };

export type ContainerState = {
  phase: ObservedWorkload['phase'];
  /** The time of the last start, by a monotonic clock. */
  startedAtMs: number;
  restarts: number;
  /** Absent while it runs. Present between two restarts, although the phase is `running` then. */
  exit?: Ended;
  /** The result of the image's HEALTHCHECK; absent if the container has none. */
  health?: { isHealthy: boolean; wasHealthy: boolean; output: string };
  pid: number;
};

/** Returns the last exit of a workload. */
export function lastExitOf({ at, ...ending }: Ended): LastExit {
  const { words: reason, hint } = exitReason(ending);
  return { code: ending.code, reason, ...(hint !== undefined && { hint }), at };
}

/**
 * Returns why it ended, such as `exited with code 1` or `killed for memory (limit 512 MiB)`, and what to do about it.
 */
export function exitReason({ code, isOutOfMemory, memoryBytes, evictedFor, isStopped }: Ending): {
  words: string;
  hint?: string;
} {
  if (evictedFor) return evictionReasons[evictedFor];
  if (isStopped) return { words: 'was stopped together with its engine' };
  if (isOutOfMemory) {
    const words = `killed for memory (limit ${Math.round(memoryBytes / 2 ** 20)} MiB)`;
    return { words, hint: 'raise resources.limits.memory' };
  }
  const meaning = exitMeanings[code];
  const words = `exited with code ${code}${meaning ? `, ${meaning}` : ''}`;
  const hint = exitHints[code];
  return { words, ...(hint && { hint }) };
}

const evictionReasons = {
  disk: {
    words: 'evicted for disk: it wrote too much outside of its volumes',
    hint: 'write its data into a volume',
  },
  memory: { words: 'evicted: its node was short of memory', hint: 'the operator has to make room' },
} as const;

/** Exit codes by convention of shells and the init process; 128 + n is signal n. */
const exitMeanings: Record<number, string> = {
  126: 'the command cannot be executed',
  127: 'command not found',
  134: 'aborted',
  137: 'killed',
  139: 'segmentation fault',
  143: 'terminated',
};

const exitHints: Record<number, string> = {
  0: 'a service must keep running: check its `command`; a pod that is meant to end is a job, or has `mayEnd: true` (Compose: `restart: on-failure`, without ports)',
  126: 'check its command and entrypoint; a file of the document needs mode: "0755" to be executed',
  127: 'check its command and entrypoint; a script with Windows line endings (CRLF) is not found either',
};
