/**
 * Commands that users run in a container. The engine starts each as a process with the user, limits and capabilities of
 * the container. These commands are hostile, and the engine leaves them running when the client disconnects. So they
 * are killed from this machine.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { wait } from '../../../lib/wait.ts';
import { reasonNotStartable } from '../../check-message.ts';
import { EngineFault } from '../../engine.ts';
import type { Exec, ExecOutput, ExecRequest, RunningExec, TerminalSize } from '../../exec.ts';
import { isOwnedBy } from '../../labels.ts';
import { orAbsent } from '../faults.ts';
import { type ControlGroup, findControlGroup } from '../groups/container-group.ts';
import { readFrames } from './exec-frames.ts';
import { type ExecJournal, killSession, type Leader, leaderOf } from './exec-journal.ts';

/** The interval of checks for the start of the command. */
const lookEveryMs = 20;
/** A start takes 100 ms, seconds on a busy machine. */
const patienceMs = 30_000;
/** How often to check for the end in addition to the engine's events, which may be lost with the connection. */
const lookAgainMs = 5_000;

export function createExec(docker: Docker, owner: string, journal: ExecJournal): Exec {
  return {
    async start(name, request) {
      const found = await orAbsent(docker.getContainer(name).inspect());
      const isRunning = found && isOwnedBy(owner, found.Config.Labels) && found.State.Running && !found.State.Paused;
      const group = isRunning ? await findControlGroup(found.State.Pid, found.Id) : undefined;
      if (!isRunning || !group) throw notRunning();
      const prepared = docker.getContainer(found.Id).exec({
        Cmd: [...request.command],
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
        Tty: request.terminal !== undefined,
        Privileged: false,
        ...(request.terminal && { Env: ['TERM=xterm-256color'] }),
      });
      // 409: it has ended just now.
      const exec = await orAbsent(prepared, 409);
      if (!exec) throw notRunning();
      const watching = new AbortController();
      const forget = async () => {
        watching.abort();
        await journal.forget(exec.id);
      };
      await journal.add(exec.id);
      const over = await watchEnd(docker, { containerId: found.Id, execId: exec.id }, watching.signal);
      return await begin(exec, request, { group, over, forget });
    },
  };
}

function notRunning(): EngineFault {
  return new EngineFault('not-running', 'It is not running.');
}

/** `over`: see `watchEnd`. */
type Surroundings = { group: ControlGroup; over: AbortSignal; forget: () => Promise<void> };

async function begin(
  exec: Docker.Exec,
  { command, terminal }: ExecRequest,
  { group, over, forget }: Surroundings,
): Promise<RunningExec> {
  let socket: Socket | undefined;
  let leader: Leader | undefined;
  const end = async () => {
    socket?.destroy();
    leader ??= await untilStarted(exec);
    if (leader) await killSession(leader, group);
    await forget();
  };
  try {
    socket = await connect(exec, terminal !== undefined);
    leader = await untilStarted(exec);
    if (!leader) throw await notStarted(command, outputOf(socket, terminal));
    const resize = async ({ columns: w, rows: h }: TerminalSize) => {
      // An ended command has no terminal.
      await exec.resize({ w, h }).catch(() => {});
    };
    if (terminal) await resize(terminal);
    return running(socket, terminal, { resize, end, exitCode: () => exitCode(exec, over) });
  } catch (error) {
    await end();
    throw error;
  }
}

function running(
  socket: Socket,
  terminal: TerminalSize | undefined,
  { resize, exitCode, end }: Pick<RunningExec, 'resize' | 'exitCode'> & { end: () => Promise<void> },
): RunningExec {
  return {
    output: outputOf(socket, terminal),
    async write(bytes) {
      if (!socket.writable || socket.write(bytes)) return socket.writable;
      const either = new AbortController();
      const { signal } = either;
      await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).catch(() => {});
      // Removes the listener that was not called, because there is a next piece.
      either.abort();
      return socket.writable;
    },
    endInput() {
      // A terminal has no end of input: this byte signals it.
      if (terminal) socket.write('\x04');
      else socket.end();
    },
    resize,
    exitCode,
    [Symbol.asyncDispose]: end,
  };
}

/** The connection itself, on which both sides write from now on. */
async function connect(exec: Docker.Exec, hasTerminal: boolean): Promise<Socket> {
  const stream = await exec.start({ hijack: true, stdin: true, Detach: false, Tty: hasTerminal });
  const socket = stream as unknown as Socket;
  // Readers get the error. Between two reads, the stream has no listener.
  socket.on('error', () => {});
  return socket;
}

async function* outputOf(socket: Socket, terminal: TerminalSize | undefined): AsyncGenerator<ExecOutput> {
  const pieces = socket as AsyncIterable<Buffer>;
  try {
    if (terminal) for await (const bytes of pieces) yield { from: 'stdout', bytes };
    else yield* readFrames(pieces);
  } catch {
    // The connection broke: with the engine or the container, or it was closed here.
  }
}

/** The command's first process. Undefined if it never started, which the engine reports as process 0. */
async function untilStarted(exec: Docker.Exec): Promise<Leader | undefined> {
  const patience = AbortSignal.timeout(patienceMs);
  for (;;) {
    const found = await orAbsent(exec.inspect());
    if (found && found.Pid > 1) return found.Running ? await leaderOf(found.Pid) : { pid: found.Pid };
    // The engine accepts the connection first. Until then, a command that is about to start has neither state.
    const hasFailed = !found || (!found.Running && found.ExitCode !== null);
    if (hasFailed || patience.aborted) return undefined;
    await delay(lookEveryMs);
  }
}

/** The container runtime's error message replaces the output. */
async function notStarted(command: readonly string[], output: AsyncIterable<ExecOutput>): Promise<EngineFault> {
  let words = '';
  for await (const { bytes } of output) {
    words += Buffer.from(bytes).toString('utf8');
    if (words.length > 4096) break;
  }
  const program = JSON.stringify(command[0]?.slice(0, 200));
  const cause = new Error(words.trim());
  return new EngineFault('bad-request', `${program} cannot be run: ${reasonNotStartable(words)}.`, { cause });
}

async function exitCode(exec: Docker.Exec, over: AbortSignal): Promise<number | undefined> {
  for (;;) {
    const found = await orAbsent(exec.inspect());
    if (!found?.Running) return found?.ExitCode ?? undefined;
    await wait(lookAgainMs, over.aborted ? undefined : over);
  }
}

/** The end of a command in a container, by the engine's events. */

/**
 * Aborts when the command has ended or its events end: its container ended, the connection broke, or `signal` was
 * aborted. Call it before the command starts.
 */
async function watchEnd(
  docker: Docker,
  { containerId, execId }: { containerId: string; execId: string },
  signal: AbortSignal,
): Promise<AbortSignal> {
  const over = new AbortController();
  const filters = { type: ['container' as const], container: [containerId], event: ['exec_die', 'die'] };
  const stream = await docker.getEvents({ filters, abortSignal: signal });
  const lines = createInterface({ input: stream });
  for (const event of ['close', 'error'] as const) lines.on(event, () => over.abort());
  lines.on('line', (line) => {
    if (isEndOf(line, execId)) over.abort();
  });
  return over.signal;
}

/** PURE. Whether an event reports the end of a command or of its container. False if the line is not an event. */
export function isEndOf(line: string, execId: string): boolean {
  try {
    const event: { Action?: string; Actor?: { Attributes?: Record<string, string> } } = JSON.parse(line);
    return event.Action === 'die' || (event.Action === 'exec_die' && event.Actor?.Attributes?.execID === execId);
  } catch {
    return false;
  }
}
