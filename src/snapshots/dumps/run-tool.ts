/**
 * A database's own tool, run in its container. What runs there is hostile: it may never end, write without an end, and end
 * with any status.
 */
import type { WorkloadName } from '../../deployment/workload/workload.ts';
import type { Exec, RunningExec } from '../../engine/exec.ts';
import { SnapshotFault } from '../snapshot-parts.ts';

/** `what`: in words, for whoever reads why it has failed. */
export type Tool = { what: string; command: readonly string[] };

export type ToolRun = {
  exec: Exec;
  workload: WorkloadName;
  /** What it reads from its standard input; default: nothing. */
  input?: AsyncIterable<Uint8Array>;
  /** Gets what it writes to its standard output; the next piece is read when it resolves. */
  take(piece: Uint8Array): Promise<void> | void;
  /** It is ended where it writes more. */
  mostBytes: number;
  /** It is ended where it lasts longer. */
  withinMs: number;
  stop: AbortSignal;
};

/** Resolves when it has ended with 0 and read all of its input. Throws SnapshotFault otherwise, and what the input throws. */
export async function runTool({ what, command }: Tool, run: ToolRun): Promise<void> {
  const { exec, workload, input, take, mostBytes, withinMs, stop } = run;
  const late = AbortSignal.timeout(Math.ceil(withinMs));
  const over = AbortSignal.any([stop, late]);
  await using running = await exec.start(workload, { command });
  // What keeps it from ending is told when it is disposed of.
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
    let left = mostBytes;
    let said = '';
    for await (const { from, bytes } of running.output) {
      left -= bytes.length;
      if (left < 0) throw new SnapshotFault(`${what} wrote more than is allowed.`);
      if (from === 'stdout') await take(bytes);
      else said = `${said}${Buffer.from(bytes).toString('utf8')}`.slice(-mostSaid);
    }
    // What has closed its outputs may go on.
    const status = await Promise.race([running.exitCode(), given]);
    stop.throwIfAborted();
    if (late.aborted)
      throw new SnapshotFault(`${what} had not finished after ${Math.round(withinMs / 60_000)} minutes.`);
    const isWhole = await fed.done();
    if (status !== 0) throw new SnapshotFault(`${what} ended with ${status ?? 'its container'}.`, { said });
    if (!isWhole) throw new SnapshotFault(`${what} ended before it had read everything.`);
  } finally {
    over.removeEventListener('abort', giveUp);
    fed.giveUp();
  }
}

/** Of its last words so many characters are told. */
const mostSaid = 500;

/** Whoever has ended reads no more: the rest of its input is not read either. `end`: it would wait for what cannot be had. */
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
    /** Whether it was given everything. Throws what its input throws. */
    async done() {
      giveUp();
      return await feeding;
    },
  };
}
