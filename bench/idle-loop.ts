/**
 * A program that does nothing but compute, and takes only what others leave of one processor: the least that work can
 * disturb.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Throws if the system does not grant idle priority: the result would not be a baseline. */
export async function computeIdly(seconds: number, signal: AbortSignal): Promise<void> {
  const loop = ['sh', '-c', 'while :; do :; done'];
  const child = spawn('timeout', [`${seconds}`, 'chrt', '--idle', '0', ...loop], {
    stdio: 'ignore',
    signal,
  });
  const [status] = await once(child, 'exit');
  if (status !== timedOut) throw new Error(`The loop with idle priority ended with ${status}.`);
}

/** Exit status of `timeout` after it has ended the program. */
const timedOut = 124;
