/**
 * The control groups of containers on this machine. The kernel's idle policy for a whole group (`cpu.idle`, Linux 5.15 and
 * newer) is not in Docker's API: a group with this policy runs while no other container needs the processor.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { computedMs } from './kernel-numbers.ts';

/** Where the kernel shows them, on nearly every machine. */
const mountPoint = '/sys/fs/cgroup';

/** Folders of one container. With version 2, all are the same. */
export type ControlGroup = { processor: string; accounting: string; memory: string; version: 1 | 2 };

/**
 * Finds the group of process `pid` of a container. Undefined where that is not the container's (the engine is on
 * another host).
 */
export async function findControlGroup(
  pid: number,
  containerId: string,
  { root = mountPoint, processes = '/proc' } = {},
): Promise<ControlGroup | undefined> {
  const lines = await readFile(join(processes, `${pid}`, 'cgroup'), 'utf8').catch(() => '');
  const paths = new Map(
    lines.split('\n').flatMap((line): [string, string][] => {
      const [, controllers = '', path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
      return path?.includes(containerId) ? controllers.split(',').map((controller) => [controller, path]) : [];
    }),
  );
  const [processor, accounting, memory, unified] = ['cpu', 'cpuacct', 'memory', ''].map((each) => paths.get(each));
  if (processor && accounting)
    return {
      processor: join(root, 'cpu', processor),
      accounting: join(root, 'cpuacct', accounting),
      memory: join(root, 'memory', memory ?? accounting),
      version: 1,
    };
  if (!unified) return undefined;
  const folder = join(root, unified);
  return { processor: folder, accounting: folder, memory: folder, version: 2 };
}

/** Within `accounting`, see `computedMs`. */
export function usageFile(version: 1 | 2): string {
  return version === 1 ? 'cpuacct.usage' : 'cpu.stat';
}

/** Milliseconds since the container was started. Throws if it has ended. */
export async function usedMsOf({ accounting, version }: ControlGroup): Promise<number> {
  return computedMs(version, await readFile(join(accounting, usageFile(version)), 'utf8'));
}

/** Throws if the container has ended or the kernel has no such policy. */
export async function isYielding({ processor }: ControlGroup): Promise<boolean> {
  return (await readFile(join(processor, 'cpu.idle'), 'utf8')).trim() === '1';
}

/** Throws likewise, and without root's rights. */
export async function setYielding({ processor }: ControlGroup, isTo: boolean): Promise<void> {
  await writeFile(join(processor, 'cpu.idle'), isTo ? '1' : '0');
}
