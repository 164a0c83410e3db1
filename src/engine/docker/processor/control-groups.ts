/**
 * The control groups of containers on this machine: how much of the processor one has used, and whether the others go
 * first. The kernel's idle policy for a whole group (`cpu.idle`, Linux 5.15 and newer) is not in Docker's API: a group
 * that has it runs while no other container wants the processor, and leaves it to one that does at once.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the kernel shows them, on nearly every machine. */
const mountPoint = '/sys/fs/cgroup';

/** Folders of one container. With version 2 both are the same. */
export type ControlGroup = { processor: string; accounting: string; version: 1 | 2 };

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
  const [processor, accounting, unified] = ['cpu', 'cpuacct', ''].map((controller) => paths.get(controller));
  if (processor && accounting)
    return { processor: join(root, 'cpu', processor), accounting: join(root, 'cpuacct', accounting), version: 1 };
  return unified ? { processor: join(root, unified), accounting: join(root, unified), version: 2 } : undefined;
}

/** Milliseconds since the container was started. Throws where it has ended. */
export async function usedMsOf({ accounting, version }: ControlGroup): Promise<number> {
  if (version === 1) return Number(await readFile(join(accounting, 'cpuacct.usage'), 'utf8')) / 1e6;
  const [, micros] = /^usage_usec (\d+)$/m.exec(await readFile(join(accounting, 'cpu.stat'), 'utf8')) ?? [];
  return Number(micros) / 1000;
}

/** Throws where the container has ended or the kernel has no such policy. */
export async function givesWay({ processor }: ControlGroup): Promise<boolean> {
  return (await readFile(join(processor, 'cpu.idle'), 'utf8')).trim() === '1';
}

/** Throws likewise, and without root's rights. */
export async function letGiveWay({ processor }: ControlGroup, isTo: boolean): Promise<void> {
  await writeFile(join(processor, 'cpu.idle'), isTo ? '1' : '0');
}
