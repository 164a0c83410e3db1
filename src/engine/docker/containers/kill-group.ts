/** Ending a process of a container from the machine that it runs on, for what the engine has no request. */
import { readFile } from 'node:fs/promises';

/**
 * Kills the process and those of its group. Does nothing where it is not the container's: the engine is on another
 * host, or the number has passed to somebody else; nor where this user may not.
 */
export async function killGroup(pid: number, containerId: string): Promise<void> {
  try {
    const [cgroups, stat] = await Promise.all([
      readFile(`/proc/${pid}/cgroup`, 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
    ]);
    if (!cgroups.includes(containerId)) return;
    // `pid (name) state ppid pgrp …`; the name may hold anything.
    const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
    process.kill(group === pid ? -pid : pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile, or we may not: the container's own limits hold it.
  }
}
