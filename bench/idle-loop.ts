/**
 * A program that does nothing but compute, and takes only what others leave of one processor: the least that work can
 * disturb.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Throws where the system does not let it give way: then it is no baseline. */
export async function computeIdly(seconds: number, signal: AbortSignal): Promise<void> {
  const loop = ['sh', '-c', 'while :; do :; done'];
  const child = spawn('timeout', [`${seconds}`, 'chrt', '--idle', '0', ...loop], {
    stdio: 'ignore',
    signal,
  });
  const [status] = await once(child, 'exit');
  if (status !== timedOut) throw new Error(`The loop with idle priority ended with ${status}.`);
}

/** What `timeout` ends with where it ended the program. */
const timedOut = 124;
