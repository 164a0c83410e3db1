/**
 * Some processes that a test starts (HAProxy, a service, containers) outlive the test's process by design. If that
 * process is killed, its `after` cannot run. This program then cleans up.
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
    // Detached from the process groups that a terminal or a runner ends as a whole.
    detached: true,
  });
  child.unref();
  const input = child.stdin!;
  input.on('error', () => {});
  // The open pipe does not keep the process alive.
  if ('unref' in input) (input as unknown as { unref(): void }).unref();
  return { dismiss: () => input.end('done\n') };
}
