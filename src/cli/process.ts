/** `berth` as a process: its streams, its folder, and what Ctrl-C does. */

import { statuses } from './arguments.ts';
import { run, type Surroundings } from './run.ts';

export async function runProcess(admin?: Surroundings['admin']): Promise<void> {
  const interruption = new AbortController();
  process.on('SIGINT', () => {
    // The second signal ends a process that does not end by itself.
    if (interruption.signal.aborted) process.exit(statuses.interrupted);
    interruption.abort();
  });
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has closed the pipe, as `head` does.
    if (error.code === 'EPIPE') process.exit(statuses.done);
    throw error;
  });
  const { stdin, stdout, stderr, env } = process;
  try {
    process.exitCode = await run(process.argv.slice(2), {
      stdin,
      stdout,
      stderr,
      env,
      folder: process.cwd(),
      signal: interruption.signal,
      ...(admin && { admin }),
    });
  } catch (error) {
    // Node would show the whole line of the source, and all of this command is on a few lines.
    stderr.write(`This is a fault of the command itself: ${(error as Error).stack ?? error}\n`);
    process.exitCode = statuses.refused;
  }
}
