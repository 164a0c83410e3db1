/** Questions that only a process in the pod itself can answer: health checks that are commands, and on what it listens. */
import type { CommandCheck } from '../../config/spec/spec.ts';
import { wait } from '../../lib/wait.ts';
import { type CheckEnd, programOf, wordsOfCheck } from '../check-words.ts';
import type { Reason } from '../readiness/attempts.ts';
import { parseListening } from '../readiness/listening.ts';
import type { RunCheck } from '../readiness/probe.ts';
import type { SeenInside } from '../readiness/probing.ts';
import type { Cluster } from './cluster.ts';
import type { PodAddress, ProgramEnd } from './pod-programs.ts';

/** Reading the kernel's numbers of a busy process does not take longer. */
const lookPatienceMs = 3_000;

/** An abandoned check may continue for at most this long. */
const longestCheckMs = 10 * 60_000;

/** For one start of one container. */
export function createPodCheck(cluster: Pick<Cluster, 'run'>, pod: PodAddress): RunCheck {
  /** One that was given up still runs, and the cluster has no means to end it. */
  let isLeft = false;

  return async ({ command, timeoutSeconds }) => {
    if (isLeft) return reasonOf(command, { kind: 'left' });
    const enough = new AbortController();
    const ended = cluster.run(pod, command, AbortSignal.timeout(longestCheckMs)).catch(() => undefined);
    const late = wait(timeoutSeconds * 1000, enough.signal).then(() => 'late' as const);
    const first = await Promise.race([ended, late]);
    enough.abort();
    if (first === 'late') {
      isLeft = true;
      void ended.then(() => {
        isLeft = false;
      });
      return reasonOf(command, { kind: 'timed-out', afterSeconds: timeoutSeconds });
    }
    const end = first && endOf(first);
    // Between two starts nothing can be run in a pod, and no cluster answers always.
    if (!end) return { kind: 'unreachable', words: `health check \`${programOf(command)}\` has not been run yet` };
    return reasonOf(command, end);
  };
}

/** PURE. Undefined where nothing is known of the program. */
export function endOf({ code, output, isFlood }: ProgramEnd): CheckEnd | undefined {
  if (isFlood) return { kind: 'flood' };
  if (code !== undefined) return { kind: 'exited', code, output };
  return /exec failed|executable file not found|no such file/i.test(output)
    ? { kind: 'not-startable', output }
    : undefined;
}

function reasonOf(command: CommandCheck['command'], end: CheckEnd): Reason | undefined {
  const told = wordsOfCheck(command, end);
  return told && { kind: 'unhealthy', ...told };
}

/** With the image's own `cat`; undefined where it has none. */
export async function lookInside(cluster: Pick<Cluster, 'run'>, pod: PodAddress): Promise<SeenInside | undefined> {
  const files = ['/proc/net/tcp', '/proc/net/tcp6', '/sys/fs/cgroup/cpu.stat', '/sys/fs/cgroup/cpuacct/cpuacct.usage'];
  try {
    const { output } = await cluster.run(pod, ['cat', ...files], AbortSignal.timeout(lookPatienceMs));
    return output.includes('local_address') ? readInside(output) : undefined;
  } catch {
    return undefined;
  }
}

/** PURE. Control groups version 1 report nanoseconds on a separate line, version 2 `usage_usec`. */
export function readInside(output: string): SeenInside {
  const nanoseconds = /^(\d+)$/m.exec(output)?.[1];
  const microseconds = /^usage_usec (\d+)$/m.exec(output)?.[1];
  const cpuMs =
    nanoseconds !== undefined
      ? Number(nanoseconds) / 1e6
      : microseconds !== undefined
        ? Number(microseconds) / 1e3
        : undefined;
  return { listening: parseListening(output), cpuMs };
}
