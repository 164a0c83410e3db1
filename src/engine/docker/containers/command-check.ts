/**
 * Health checks that are commands. The engine starts each as a process in the container, with the container's user,
 * limits and capabilities. These commands are untrusted: their time and output are limited, and only one runs at a
 * time. A command that does not end is killed if permitted, and no second one starts before that.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { type CheckEnd, checkMessage, programOf } from '../../check-message.ts';
import type { Reason } from '../../readiness/attempts.ts';
import type { RunCheck } from '../../readiness/probe.ts';
import { readFrames } from './exec-frames.ts';

/** The engine cuts the output of its own checks at 4 KiB and reads on. A command that writes this much is malicious. */
const keptBytes = 4 * 1024;
const floodBytes = 1024 * 1024;

/** How long to wait for the rest of the output. The engine may report the end of the process before it. */
const endPauseMs = 20;

type Output = { text: string; end: 'ended' | 'flood' | 'cut-off' };

/** Creates the check for one start of a container. The caller must not start a second check while the command runs. */
export function createCommandCheck(docker: Docker, containerId: string): RunCheck {
  /** The command of an abandoned check, which may still run. */
  let left: Docker.Exec | undefined;

  return async ({ command, timeoutSeconds }) => {
    if (left && (await isRunning(left))) {
      await kill(left, containerId);
      return reasonOf(command, { kind: 'left' });
    }
    left = undefined;
    try {
      const exec = await prepare(docker, containerId, command);
      const patience = AbortSignal.timeout(timeoutSeconds * 1000);
      const output = await outputOf(exec, patience);
      const code = output.end === 'ended' ? await exitCode(exec, patience) : await codeNow(exec);
      // A process that has ended may have left child processes that hold its output open.
      if (code !== undefined) return reasonOf(command, endOf(code, output.text));
      left = exec;
      await kill(exec, containerId);
      const isFlood = output.end === 'flood';
      return reasonOf(command, isFlood ? { kind: 'flood' } : { kind: 'timed-out', afterSeconds: timeoutSeconds });
    } catch {
      // Between two starts, no command can run in the container, and the engine may be unavailable.
      return { kind: 'unreachable', words: `health check \`${programOf(command)}\` has not been run yet` };
    }
  };
}

/** Creates the command with the user, directory and environment of the container. */
function prepare(docker: Docker, containerId: string, command: string[]): Promise<Docker.Exec> {
  return docker
    .getContainer(containerId)
    .exec({ Cmd: command, AttachStdout: true, AttachStderr: true, Tty: false, Privileged: false });
}

/** Starts it. Rejects if the engine refuses. A failure of the command itself does not reject. */
async function outputOf(exec: Docker.Exec, patience: AbortSignal): Promise<Output> {
  try {
    return await readOutput(await exec.start({ Detach: false, Tty: false, abortSignal: patience }), patience);
  } catch (error) {
    if (!patience.aborted) throw error;
    return { text: '', end: 'cut-off' };
  }
}

async function readOutput(
  stream: NodeJS.ReadableStream & { destroy?(): void },
  patience: AbortSignal,
): Promise<Output> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let end: Output['end'] = 'ended';
  try {
    for await (const { bytes } of readFrames(stream as AsyncIterable<Buffer>)) {
      if (length < keptBytes) chunks.push(bytes);
      length += bytes.length;
      if (length < floodBytes) continue;
      end = 'flood';
      break;
    }
  } catch {
    end = 'cut-off';
  }
  if (patience.aborted && end === 'ended') end = 'cut-off';
  return { text: Buffer.concat(chunks).subarray(0, keptBytes).toString('utf8'), end };
}

async function exitCode(exec: Docker.Exec, patience: AbortSignal): Promise<number | undefined> {
  for (;;) {
    const code = await codeNow(exec);
    if (code !== undefined || patience.aborted) return code;
    await delay(endPauseMs);
  }
}

/** Undefined while it runs. */
async function codeNow(exec: Docker.Exec): Promise<number | undefined> {
  const { Running, ExitCode } = await exec.inspect();
  return Running ? undefined : (ExitCode ?? undefined);
}

async function isRunning(exec: Docker.Exec): Promise<boolean> {
  // An engine that has forgotten it, or was restarted, has ended it too.
  return await exec.inspect().then(
    ({ Running }) => Running,
    (error: { statusCode?: number }) => error.statusCode !== 404,
  );
}

async function kill(exec: Docker.Exec, containerId: string): Promise<void> {
  const pid = await exec.inspect().then(
    ({ Running, Pid }) => (Running ? Pid : 0),
    () => 0,
  );
  if (pid > 1) await killGroup(pid, containerId);
}

/**
 * Kills the process and those of its group. Does nothing if the process is not the container's (the engine is on another
 * host, or the process id was reused), or if this user may not.
 */
async function killGroup(pid: number, containerId: string): Promise<void> {
  try {
    const [cgroups, stat] = await Promise.all([
      readFile(`/proc/${pid}/cgroup`, 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
    ]);
    if (!cgroups.includes(containerId)) return;
    // `pid (name) state ppid pgrp …`. The name may contain any character.
    const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
    process.kill(group === pid ? -pid : pid, 'SIGKILL');
  } catch {
    // The process has ended, or this user may not move it. The container's own limits still apply.
  }
}

/** Engines report a program that cannot be started with the exit codes of shells and a message of the runtime. */
function endOf(code: number, output: string): CheckEnd {
  const isOfRuntime = (code === 126 || code === 127) && /^OCI runtime exec failed/.test(output);
  return isOfRuntime ? { kind: 'not-startable', output } : { kind: 'exited', code, output };
}

function reasonOf(command: string[], end: CheckEnd): Reason | undefined {
  const reported = checkMessage(command, end);
  return reported && { kind: 'unhealthy', ...reported };
}
