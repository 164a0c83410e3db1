/**
 * The processes of a container that belong to a command which was started in it. The engine has no request that ends
 * such a command: it is done from the machine that the container runs on.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ControlGroup, findControlGroup } from '../processor/control-groups.ts';

/** Numbers of the machine, not of the container. */
export type ProcessEntry = { pid: number; parent: number; session: number };

/** What forks while it is killed is found again; who forks faster than this is held by the limits of its container. */
const rounds = 50;
const pauseMs = 10;

/**
 * Kills the process that leads a session, those of its session, and their children. The engine makes each command a
 * leader of its own. What has left the session, as daemons do, stays until its container ends.
 */
export async function killSession(leader: number, group: ControlGroup): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const found = sessionOf(leader, await processesOf(group));
    if (found.length === 0) return;
    for (const pid of found) kill(pid);
    await delay(pauseMs);
  }
}

/** The group of a container, found by its first process; undefined where the engine is on another machine. */
export async function groupOf(pid: number, containerId: string): Promise<ControlGroup | undefined> {
  return pid > 1 ? await findControlGroup(pid, containerId) : undefined;
}

/** PURE. A number is not given to another process while a session has it. */
export function sessionOf(leader: number, processes: readonly ProcessEntry[]): number[] {
  const found = new Set(
    processes.filter(({ pid, session }) => pid === leader || session === leader).map(({ pid }) => pid),
  );
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent } of processes) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** PURE. `pid (name) state ppid pgrp session …`; the name may hold anything. Undefined for what only waits to be reaped. */
export function readProcess(stat: string): ProcessEntry | undefined {
  const [state, parent, , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const pid = Number.parseInt(stat, 10);
  if (state === 'Z' || state === 'X' || !(pid > 1)) return undefined;
  return { pid, parent: Number(parent), session: Number(session) };
}

/** None where the container has ended. */
async function processesOf({ accounting }: ControlGroup): Promise<ProcessEntry[]> {
  const listed = await readFile(join(accounting, 'cgroup.procs'), 'utf8').catch(() => '');
  const pids = listed.split('\n').filter((line) => /^[1-9]\d*$/.test(line));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return stats.flatMap((stat) => readProcess(stat) ?? []);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
