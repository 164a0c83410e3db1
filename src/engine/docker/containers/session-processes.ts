/**
 * The processes of a container that belong to a command which was started in it. The engine has no request that ends
 * such a command: it is done from the machine that the container runs on.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlGroup } from '../groups/container-group.ts';

/** Numbers of the machine, not of the container. `startedAt`: ticks since the machine has started. */
export type ProcessEntry = { pid: number; parent: number; session: number; startedAt: number };

/** The leader of a session. Without `startedAt` it has ended, and another process may have its number. */
export type Leader = { pid: number; startedAt?: number };

/** Processes that fork while they are killed are found again. The container's limits stop those that fork faster. */
const rounds = 50;
const pauseMs = 10;

/**
 * Kills the leader of a session, the session's processes and their children. The engine makes each command a leader.
 * Processes that left the session, such as daemons, run until their container ends.
 */
export async function killSession(leader: Leader, group: ControlGroup): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const found = sessionOf(leader, await processesOf(group));
    if (found.length === 0) return;
    for (const entry of found) kill(entry);
    await delay(pauseMs);
  }
}

/** A process that the engine says it runs. */
export async function leaderOf(pid: number): Promise<Leader> {
  const startedAt = readProcess(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))?.startedAt;
  return startedAt === undefined ? { pid } : { pid, startedAt };
}

/** PURE. None where another process has the leader's number: it is not given away while a session has it. */
export function sessionOf(leader: Leader, processes: readonly ProcessEntry[]): ProcessEntry[] {
  const holder = processes.find(({ pid }) => pid === leader.pid);
  if (holder && holder.startedAt !== leader.startedAt) return [];
  const found = new Set(
    processes.filter(({ pid, session }) => pid === leader.pid || session === leader.pid).map(({ pid }) => pid),
  );
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent } of processes) if (found.has(parent)) found.add(pid);
  }
  return processes.filter(({ pid }) => found.has(pid));
}

/** PURE. `pid (name) state ppid pgrp session … starttime …`; the name may hold anything. Undefined for what only waits to be reaped. */
export function readProcess(stat: string): ProcessEntry | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, , session] = fields;
  const pid = Number.parseInt(stat, 10);
  if (state === 'Z' || state === 'X' || !(pid > 1)) return undefined;
  return { pid, parent: Number(parent), session: Number(session), startedAt: Number(fields[19]) };
}

/** None where the container has ended. */
async function processesOf({ accounting }: ControlGroup): Promise<ProcessEntry[]> {
  const listed = await readFile(join(accounting, 'cgroup.procs'), 'utf8').catch(() => '');
  const pids = listed.split('\n').filter((line) => /^[1-9]\d*$/.test(line));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return stats.flatMap((stat) => readProcess(stat) ?? []);
}

/**
 * Checks and kills in the same turn, because the process may have ended and another one may have its number.
 * Microseconds pass in between, and a number recurs after at least 32,768 others.
 */
export function kill({ pid, startedAt }: ProcessEntry): void {
  try {
    const now = readProcess(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    if (now?.startedAt === startedAt) process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}
