/**
 * A program that takes only what others leave of the processors. Niceness alone lets it keep one until its time slice is
 * over: an application that syncs its writes then waited for several of them (measured, two processors: the 99th percentile
 * of its answers was 2.3 times what it is in quiet, and 1.2 times with this).
 */
import type { ChildProcess } from 'node:child_process';
import { runProgram } from '../lib/run-program.ts';

/**
 * Most runs end sooner. After this long without processor time, the program continues with a normal share, because a
 * user waits for it (with 10 s for each run, next to work for more processors than the machine has, a test of twenty
 * runs took four minutes).
 */
const longestMs = 2_000;

/** At first, with all its threads; where the system does not allow it, it stays as it is. */
export function giveWay(child: ChildProcess, withinMs = longestMs): void {
  const { pid } = child;
  if (pid === undefined) return;
  const yielding = schedule(pid, '--idle');
  const timer = setTimeout(async () => {
    await yielding;
    await schedule(pid, '--other');
  }, withinMs).unref();
  child.once('exit', () => clearTimeout(timer));
}

async function schedule(pid: number, policy: '--idle' | '--other'): Promise<void> {
  // It may not be permitted, or the program may have ended.
  await runProgram(['chrt', '--all-tasks', policy, '--pid', '0', String(pid)]).catch(() => {});
}
