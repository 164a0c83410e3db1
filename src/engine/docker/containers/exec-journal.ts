/** Commands in containers that this service has started and not ended yet: the next one ends those of a killed one. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { wait } from '../../../lib/wait.ts';
import { orAbsent } from '../faults.ts';
import { findControlGroup } from '../groups/container-group.ts';
import { killSession, leaderOf } from './session-processes.ts';

/** Between two looks at whether one has begun. */
const lookEveryMs = 500;

export type ExecJournal = {
  /** Before it is started. */
  note(execId: string): Promise<void>;
  forget(execId: string): Promise<void>;
};

/** A folder with an empty file for each: its name is the engine's id. */
export function createExecJournal(folder: string): ExecJournal {
  return {
    async note(execId) {
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
export async function endLeftExecs(docker: Docker, folder: string): Promise<{ ended: number; unbegun: string[] }> {
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

/** Kills a command with what it has started, and forgets it. @returns false where it has not begun. */
async function endIfBegun(docker: Docker, folder: string, execId: string): Promise<boolean> {
  const exec = await orAbsent(docker.getExec(execId).inspect());
  // One that could not be started has a status and no number.
  if (exec && exec.Pid === 0 && exec.ExitCode === null) return false;
  const container = exec && (await orAbsent(docker.getContainer(exec.ContainerID).inspect()));
  const group = container && (await findControlGroup(container.State.Pid, container.Id));
  if (group && exec.Pid > 1) await killSession(exec.Running ? await leaderOf(exec.Pid) : { pid: exec.Pid }, group);
  await createExecJournal(folder).forget(execId);
  return true;
}
