/** Runs a command in the container of a workload, with its input, output and limits. */
import type { WorkloadName } from '../deployment/workload/workload.ts';
import type { Exec, RunningExec } from './exec.ts';

/** A command in a workload. `what`: its name in messages. */
export type WorkloadCommand = { what: string; command: readonly string[] };

export type CommandRun = {
  exec: Exec;
  workload: WorkloadName;
  /** Its standard input; default: empty. */
  input?: AsyncIterable<Uint8Array>;
  /** Receives its standard output. The next chunk is read when the promise resolves. */
  take(piece: Uint8Array): Promise<void> | void;
  /** Receives its standard error. */
  takeError?: ((piece: Uint8Array) => void) | undefined;
  /** The command is killed if it writes more. */
  maxBytes: number;
  /** The command is killed if it runs longer. */
  withinMs: number;
  stop: AbortSignal;
  /**
   * Creates the error to throw. `said`: the end of its standard error; absent if the command did not fail by itself.
   */
  fault(message: string, options?: { said: string }): Error;
};

/**
 * Runs a command in the container of a workload, which may be hostile: it may never end, write without limit, or exit
 * with any status. Resolves when the command has exited with 0 and has read its whole input. Otherwise throws the error
 * of `fault`, an error of the input, or the reason of `stop`.
 */
export async function runInWorkload({ what, command }: WorkloadCommand, run: CommandRun): Promise<void> {
  const { exec, workload, input, take, takeError, maxBytes, withinMs, stop, fault } = run;
  const late = AbortSignal.timeout(Math.ceil(withinMs));
  const over = AbortSignal.any([stop, late]);
  await using running = await exec.start(workload, { command });
  // The disposal reports this error again.
  const end = () => void Promise.resolve(running[Symbol.asyncDispose]()).catch(() => {});
  const { promise: given, resolve: give } = Promise.withResolvers<undefined>();
  const giveUp = () => {
    give(undefined);
    end();
  };
  over.addEventListener('abort', giveUp, { once: true });
  if (over.aborted) giveUp();
  const fed = feed(running, input, end);
  try {
    let left = maxBytes;
    let said = '';
    for await (const { from, bytes } of running.output) {
      left -= bytes.length;
      if (left < 0) throw fault(`${what} wrote more than is allowed.`);
      if (from === 'stdout') await take(bytes);
      else {
        takeError?.(bytes);
        said = `${said}${Buffer.from(bytes).toString('utf8')}`.slice(-maxOutput);
      }
    }
    // The command may continue after it has closed its outputs.
    const status = await Promise.race([running.exitCode(), given]);
    stop.throwIfAborted();
    if (late.aborted) throw fault(`${what} had not finished after ${Math.round(withinMs / 60_000)} minutes.`);
    const isWhole = await fed.done();
    if (status !== 0) throw fault(`${what} ended with ${status ?? 'its container'}.`, { said });
    if (!isWhole) throw fault(`${what} ended before it had read everything.`);
  } finally {
    over.removeEventListener('abort', giveUp);
    fed.giveUp();
  }
}

/** Characters of the end of standard error in a fault. */
const maxOutput = 500;

/**
 * Writes the input until the command ends. `end`: called if the input fails, because the command would wait for more.
 */
function feed(running: RunningExec, input: AsyncIterable<Uint8Array> | undefined, end: () => void) {
  const { promise: givenUp, resolve } = Promise.withResolvers<false>();
  const giveUp = () => resolve(false);
  const feeding = (async () => {
    for await (const piece of input ?? []) if (!(await Promise.race([running.write(piece), givenUp]))) return false;
    running.endInput();
    return true;
  })();
  feeding.catch(end);
  return {
    giveUp,
    /** Returns whether all input was written. Throws errors of the input. */
    async done() {
      giveUp();
      return await feeding;
    },
  };
}
