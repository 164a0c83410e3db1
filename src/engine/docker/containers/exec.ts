/**
 * Commands that somebody runs in a container: processes that the engine starts, with the user, limits and rights of the
 * container and nothing more. What runs there is hostile, and the engine lets it go on when nobody is connected any more:
 * it is ended from this machine.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { reasonNotStartable } from '../../check-words.ts';
import { EngineFault } from '../../engine.ts';
import type { Exec, ExecOutput, ExecRequest, RunningExec, TerminalSize } from '../../exec.ts';
import { isOwnedBy } from '../../labels.ts';
import { orAbsent } from '../faults.ts';
import type { ControlGroup } from '../processor/control-groups.ts';
import { readFrames } from './exec-frames.ts';
import type { ExecJournal } from './exec-journal.ts';
import { groupOf, killSession } from './session-processes.ts';

/** Between two looks at whether it has started or ended. */
const lookEveryMs = 20;
/** A start takes 100 ms, seconds on a busy machine. The end of the process and that of its output come in any order. */
const patienceMs = 30_000;

export function createExec(docker: Docker, owner: string, journal: ExecJournal): Exec {
  return {
    async start(name, request) {
      const found = await orAbsent(docker.getContainer(name).inspect());
      const isRunning = found && isOwnedBy(owner, found.Config.Labels) && found.State.Running && !found.State.Paused;
      const group = isRunning ? await groupOf(found.State.Pid, found.Id) : undefined;
      if (!isRunning || !group) throw notRunning();
      const prepared = docker.getContainer(found.Id).exec({
        ...{ Cmd: [...request.command], AttachStdin: true, AttachStdout: true, AttachStderr: true },
        ...{ Tty: request.terminal !== undefined, Privileged: false },
        ...(request.terminal && { Env: ['TERM=xterm-256color'] }),
      });
      // 409: it has ended just now.
      const exec = await orAbsent(prepared, 409);
      if (!exec) throw notRunning();
      await journal.note(exec.id);
      return await begin(exec, request, group, async () => await journal.forget(exec.id));
    },
  };
}

function notRunning(): EngineFault {
  return new EngineFault('bad-request', 'It does not run now.');
}

async function begin(
  exec: Docker.Exec,
  { command, terminal }: ExecRequest,
  group: ControlGroup,
  forget: () => Promise<void>,
): Promise<RunningExec> {
  let socket: Socket | undefined;
  const end = async () => {
    socket?.destroy();
    const { Pid: leader } = await untilStarted(exec);
    if (leader > 1) await killSession(leader, group);
    await forget();
  };
  try {
    socket = await connect(exec, terminal !== undefined);
    const { Pid: leader } = await untilStarted(exec);
    if (leader === 0) throw await notStarted(command, outputOf(socket, terminal));
    const resize = async ({ columns: w, rows: h }: TerminalSize) => {
      // One that has ended has no terminal.
      await exec.resize({ w, h }).catch(() => {});
    };
    if (terminal) await resize(terminal);
    return running(exec, socket, terminal, { resize, end });
  } catch (error) {
    await end();
    throw error;
  }
}

function running(
  exec: Docker.Exec,
  socket: Socket,
  terminal: TerminalSize | undefined,
  { resize, end }: { resize: RunningExec['resize']; end: () => Promise<void> },
): RunningExec {
  return {
    output: outputOf(socket, terminal),
    async write(bytes) {
      if (!socket.writable || socket.write(bytes)) return;
      const either = new AbortController();
      const { signal } = either;
      await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).catch(() => {});
      // The one that has not come is not listened for any more: there is a next piece.
      either.abort();
    },
    endInput() {
      // A terminal has no end: its reader is told by a byte.
      if (terminal) socket.write('\x04');
      else socket.end();
    },
    resize,
    exitCode: () => exitCode(exec),
    [Symbol.asyncDispose]: end,
  };
}

/** The connection itself, on which both sides write from now on. */
async function connect(exec: Docker.Exec, hasTerminal: boolean): Promise<Socket> {
  const stream = await exec.start({ hijack: true, stdin: true, Detach: false, Tty: hasTerminal });
  const socket = stream as unknown as Socket;
  // Whoever reads it is told; between two reads nobody listens.
  socket.on('error', () => {});
  return socket;
}

async function* outputOf(socket: Socket, terminal: TerminalSize | undefined): AsyncGenerator<ExecOutput> {
  const pieces = socket as AsyncIterable<Buffer>;
  try {
    if (terminal) for await (const bytes of pieces) yield { from: 'stdout', bytes };
    else yield* readFrames(pieces);
  } catch {
    // The connection broke: with the engine, the container or by us. Nothing comes any more.
  }
}

/** A number of 0 is told of what was never started. */
async function untilStarted(exec: Docker.Exec): Promise<{ Pid: number }> {
  const patience = AbortSignal.timeout(patienceMs);
  for (;;) {
    const found = await orAbsent(exec.inspect());
    if (!found || found.Pid > 0 || !found.Running || patience.aborted) return { Pid: found?.Pid ?? 0 };
    await delay(lookEveryMs);
  }
}

/** Instead of output there are the words of the container runtime. */
async function notStarted(command: readonly string[], output: AsyncIterable<ExecOutput>): Promise<EngineFault> {
  let words = '';
  for await (const { bytes } of output) {
    words += Buffer.from(bytes).toString('utf8');
    if (words.length > 4096) break;
  }
  const program = JSON.stringify(command[0]?.slice(0, 200));
  return new EngineFault('bad-request', `${program} cannot be run: ${reasonNotStartable(words)}.`);
}

async function exitCode(exec: Docker.Exec): Promise<number | undefined> {
  const patience = AbortSignal.timeout(patienceMs);
  for (;;) {
    const found = await orAbsent(exec.inspect());
    if (!found?.Running) return found?.ExitCode ?? undefined;
    if (patience.aborted) return undefined;
    await delay(lookEveryMs);
  }
}
