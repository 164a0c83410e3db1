/**
 * Commands in containers that this service has started and that have not ended. After a kill, the next service ends
 * them.
 */

import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { wait } from '../../../lib/wait.ts';
import { orAbsent } from '../faults.ts';
import { type ControlGroup, findControlGroup } from '../groups/container-group.ts';

/** The interval of checks for the start of a command. */
const lookEveryMs = 500;

export type ExecJournal = {
  /** Called before the command is started. */
  add(execId: string): Promise<void>;
  forget(execId: string): Promise<void>;
};

/** A folder with an empty file for each: its name is the engine's id. */
export function createExecJournal(folder: string): ExecJournal {
  return {
    async add(execId) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(join(folder, execId), '', { mode: 0o600 });
    },
    forget: (execId) => rm(join(folder, execId), { force: true }),
  };
}

/**
 * Ends the commands of a killed service. The engine may still be about to start the last one: pass these, in `unbegun`,
 * to `endOnceBegun`.
 */
export async function endOrphanedExecs(docker: Docker, folder: string): Promise<{ ended: number; unbegun: string[] }> {
  const left = (await readdir(folder).catch(() => [])).filter((name) => /^[0-9a-f]{64}$/.test(name));
  const unbegun: string[] = [];
  for (const execId of left) if (!(await endIfBegun(docker, folder, execId))) unbegun.push(execId);
  return { ended: left.length - unbegun.length, unbegun };
}

/** Polls the commands until each was ended after its start or can no longer start. */
export async function endOnceBegun(
  docker: Docker,
  folder: string,
  { execIds, signal, patienceMs = 60_000 }: { execIds: readonly string[]; signal: AbortSignal; patienceMs?: number },
): Promise<void> {
  const patience = AbortSignal.timeout(patienceMs);
  for (let left = [...execIds]; left.length > 0 && !signal.aborted; ) {
    const isLast = patience.aborted;
    const waiting: string[] = [];
    for (const execId of left) {
      if (await endIfBegun(docker, folder, execId)) continue;
      if (isLast) await createExecJournal(folder).forget(execId);
      else waiting.push(execId);
    }
    left = waiting;
    if (left.length > 0) await wait(lookEveryMs, signal);
  }
}

/** Kills a command with its child processes, and removes it from the journal. @returns false if it has not started. */
async function endIfBegun(docker: Docker, folder: string, execId: string): Promise<boolean> {
  const exec = await orAbsent(docker.getExec(execId).inspect());
  // A command that could not be started has an exit code and no process ID.
  if (exec && exec.Pid === 0 && exec.ExitCode === null) return false;
  const container = exec && (await orAbsent(docker.getContainer(exec.ContainerID).inspect()));
  const group = container && (await findControlGroup(container.State.Pid, container.Id));
  if (group && exec.Pid > 1) await killSession(exec.Running ? await leaderOf(exec.Pid) : { pid: exec.Pid }, group);
  await createExecJournal(folder).forget(execId);
  return true;
}

/**
 * The processes of a container that belong to a command which was started in it. The engine has no request that ends
 * such a command: it is done from the machine that the container runs on.
 */

/** Numbers of the machine, not of the container. `startedAt`: ticks since the machine has started. */
type ProcessEntry = { pid: number; parent: number; session: number; startedAt: number };

/** The leader of a session. Without `startedAt`, it has ended, and its process ID may have been reused. */
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

/**
 * PURE. Returns the processes of a session. Empty if another process has the leader's ID, because an ID is not reused
 * while a session has it.
 */
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

/**
 * PURE. Parses `pid (name) state ppid pgrp session … starttime …`. The name may contain any character. Undefined for
 * zombies.
 */
export function readProcess(stat: string): ProcessEntry | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, , session] = fields;
  const pid = Number.parseInt(stat, 10);
  if (state === 'Z' || state === 'X' || !(pid > 1)) return undefined;
  return { pid, parent: Number(parent), session: Number(session), startedAt: Number(fields[19]) };
}

/** Empty if the container has ended. */
async function processesOf({ accounting }: ControlGroup): Promise<ProcessEntry[]> {
  const listed = await readFile(join(accounting, 'cgroup.procs'), 'utf8').catch(() => '');
  const pids = listed.split('\n').filter((line) => /^[1-9]\d*$/.test(line));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return stats.flatMap((stat) => readProcess(stat) ?? []);
}

/**
 * Checks and kills in the same turn, because the process may have ended and its ID may have been reused. Only
 * microseconds pass in between, and an ID is reused after at least 32,768 others.
 */
export function kill({ pid, startedAt }: ProcessEntry): void {
  try {
    const now = readProcess(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    if (now?.startedAt === startedAt) process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}
