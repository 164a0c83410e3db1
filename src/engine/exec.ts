/** The facet `exec` of the engine port: runs a command in the container of a running workload. */
import type { WorkloadName } from '../deployment/workload/workload.ts';

/** The refusal if the engine lacks this facet. */
export const noExec = {
  words: 'This service runs no commands in pods',
  hint: 'Commands require a cluster, or Docker with runc on the same machine as the service, which must run as root.',
};

export type TerminalSize = { columns: number; rows: number };

/**
 * `command`: a program of the image and its arguments, without a shell. `terminal`: runs it in a terminal of this size.
 */
export type ExecRequest = { command: readonly string[]; terminal?: TerminalSize | undefined };

export type Exec = {
  /**
   * Starts a command with the user, variables, limits and privileges of the container. Throws EngineFault:
   * `not-running` if the workload does not run, `bad-request` if the program cannot be started.
   */
  start(name: WorkloadName, request: ExecRequest): Promise<RunningExec>;
};

/** With a terminal, all output arrives as `stdout`. */
export type ExecOutput = { from: 'stdout' | 'stderr'; bytes: Uint8Array };

/** Disposing it kills the program and all processes of its session. */
export type RunningExec = AsyncDisposable & {
  /** The output until the program has ended. A slow reader blocks the program. Can be read once. */
  output: AsyncIterable<ExecOutput>;
  /** Resolves when more input can be written. Returns false if the program has ended and the input is lost. */
  write(bytes: Uint8Array): Promise<boolean>;
  endInput(): void;
  resize(size: TerminalSize): Promise<void>;
  /** Returns the exit code, after the output has ended. Undefined if the container ended too. */
  exitCode(): Promise<number | undefined>;
};
