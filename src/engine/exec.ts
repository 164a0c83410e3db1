/** The facet `exec` of the engine port: a program in the container of a workload that runs, beside what it runs for. */
import type { WorkloadName } from '../deployment/workload/workload.ts';

/** What is said where the engine is without it, and what would help. */
export const noExec = {
  words: 'This service runs no commands in pods',
  hint: 'Commands require a cluster, or Docker with runc on the same machine as the service, which must run as root.',
};

export type TerminalSize = { columns: number; rows: number };

/** `command`: a program of its image and its arguments; no shell reads them. `terminal`: it gets one of this size. */
export type ExecRequest = { command: readonly string[]; terminal?: TerminalSize | undefined };

export type Exec = {
  /**
   * Starts it with the user, variables, limits and rights of the container. Throws EngineFault: `not-running` where
   * the workload does not run, `bad-request` where the program cannot be started.
   */
  start(name: WorkloadName, request: ExecRequest): Promise<RunningExec>;
};

/** `stdout` has all that a program with a terminal writes. */
export type ExecOutput = { from: 'stdout' | 'stderr'; bytes: Uint8Array };

/** Disposing of it ends the program, with all that it has started in its session, whatever it does. */
export type RunningExec = AsyncDisposable & {
  /** What it writes, until it has ended. Who reads slowly holds it up. To be read once. */
  output: AsyncIterable<ExecOutput>;
  /** Resolves when more can be taken; false where the program has ended: then it is lost. */
  write(bytes: Uint8Array): Promise<boolean>;
  endInput(): void;
  resize(size: TerminalSize): Promise<void>;
  /** Once its output has ended. Undefined where the container has ended with it. */
  exitCode(): Promise<number | undefined>;
};
