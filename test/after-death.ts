/**
 * What a test starts beside its own process (HAProxy, a service, containers) outlives it by design. When the test's
 * process is killed, nobody is left to run its `after`: then this does.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** The shell waits for a word on its input. It gets none when the other end is gone, however that came about. */
const waiting = 'read -r word; test "$word" = done || exec "$@"';

/** Runs a program of the project once this process has ended, unless it is dismissed before. */
export function afterDeath(
  program: readonly [path: string, ...args: string[]],
  env: NodeJS.ProcessEnv = process.env,
): { dismiss: () => void } {
  const child = spawn('/bin/sh', ['-c', waiting, 'sh', process.execPath, ...program], {
    cwd: root,
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
    // Of no group of processes that a terminal or a runner ends as a whole.
    detached: true,
  });
  child.unref();
  const input = child.stdin!;
  input.on('error', () => {});
  // A pipe that is open keeps nobody from ending.
  if ('unref' in input) (input as unknown as { unref(): void }).unref();
  return { dismiss: () => input.end('done\n') };
}
