/** Commands in containers that this service has started and not ended yet: the next one ends those of a killed one. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { orAbsent } from '../faults.ts';
import { groupOf, killSession } from './session-processes.ts';

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

/** Ends what a killed service has left. @returns how many there were. */
export async function endLeftExecs(docker: Docker, folder: string): Promise<number> {
  const left = (await readdir(folder).catch(() => [])).filter((name) => /^[0-9a-f]{64}$/.test(name));
  for (const execId of left) {
    await endSession(docker, execId);
    await createExecJournal(folder).forget(execId);
  }
  return left.length;
}

/** Kills a command with what it has started; nothing where it is gone, or the engine is on another machine. */
async function endSession(docker: Docker, execId: string): Promise<void> {
  const exec = await orAbsent(docker.getExec(execId).inspect());
  const container = exec && (await orAbsent(docker.getContainer(exec.ContainerID).inspect()));
  const group = container && (await groupOf(container.State.Pid, container.Id));
  if (group && exec.Pid > 1) await killSession(exec.Pid, group);
}
