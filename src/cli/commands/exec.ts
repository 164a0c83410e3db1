/** `berth exec`: a command in a container, with this terminal or with what is piped in and out. */
import type { ReadStream, WriteStream } from 'node:tty';
import { statuses } from '../arguments.ts';
import { openRemoteCommand, type RemoteCommand, type RemoteEnd } from '../remote-command.ts';
import { printable } from '../render.ts';
import { type Context, type Run, type Target, targetOf } from './command.ts';

/** A message of the terminal may have 64 KiB. */
const longestPiece = 32 * 1024;

export const exec: Run = async (context) => {
  const { given, options, terminal } = context;
  const [pod = '', ...command] = given;
  const replica = typeof options.replica === 'string' ? Number(options.replica) : undefined;
  if (replica !== undefined && !(Number.isInteger(replica) && replica >= 0))
    return terminal.fail('--replica takes a number; the first is 0.');
  const isTerminal = hasTerminal(context);
  if (isTerminal === undefined) return terminal.fail('--tty requires a terminal for input and output.');
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  const place = { ...target, pod, ...(replica !== undefined && { replica }) };
  if (terminal.asJson) return await runForJson(context, place, command);
  return await runHere(context, place, command, isTerminal);
};

type Place = Target & { pod: string; replica?: number };

/** Undefined if a terminal was requested but is missing. */
function hasTerminal({ options, streams }: Context): boolean | undefined {
  const isThere = streams.stdin.isTTY === true && streams.stdout.isTTY === true;
  if (options['no-tty']) return false;
  return options.tty && !isThere ? undefined : isThere;
}

/** Returns the whole output, for programs: without input, and with limits. */
async function runForJson({ connection, terminal, signal }: Context, place: Place, command: string[]) {
  if (command.length === 0) return terminal.fail('With --json, write the command too: berth exec POD -- COMMAND');
  const answer = await connection.client.call('execInPod', { body: { ...place, command }, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  terminal.json(answer.value);
  return answer.value.exitCode ?? statuses.refused;
}

async function runHere(context: Context, place: Place, command: string[], isTerminal: boolean): Promise<number> {
  const { connection, streams, signal, terminal } = context;
  const { server, token } = connection;
  const screen = streams.stdout as WriteStream;
  const opened = await openRemoteCommand(
    { server, token, signal },
    { ...place, ...(command.length > 0 && { command }), ...(isTerminal && { terminal: sizeOf(screen) }) },
  );
  if (!opened.ok) return terminal.refuse(opened.problem);
  const remote = opened.value;
  const leave = isTerminal ? lendTerminal(remote, streams.stdin as ReadStream, screen) : lendPipe(remote, context);
  try {
    return reported(context, await printOutput(remote, context, isTerminal));
  } finally {
    leave();
    remote.close();
  }
}

/** Sends each key to the command, including Ctrl-C. @returns a function that restores the terminal. */
function lendTerminal(remote: RemoteCommand, keyboard: ReadStream, screen: WriteStream): () => void {
  const type = (bytes: Buffer) => void remote.write(bytes);
  const resize = () => remote.resize(sizeOf(screen));
  const restore = () => void keyboard.setRawMode(false);
  const interrupt = () => remote.close();
  keyboard.setRawMode(true);
  keyboard.on('data', type);
  keyboard.resume();
  screen.on('resize', resize);
  process.on('exit', restore);
  for (const each of endings) process.on(each, interrupt);
  return () => {
    for (const each of endings) process.off(each, interrupt);
    process.off('exit', restore);
    screen.off('resize', resize);
    keyboard.off('data', type);
    restore();
    keyboard.pause();
  };
}

/** Signals that end this process. Without a handler, the terminal would stay in raw mode. */
const endings = ['SIGTERM', 'SIGHUP'] as const;

/** Forwards piped input to its end. Does not read from a terminal. */
function lendPipe(remote: RemoteCommand, { streams: { stdin } }: Context): () => void {
  const left = new AbortController();
  const feed = async () => {
    if (stdin.isTTY !== true)
      for await (const bytes of stdin as AsyncIterable<Buffer>) {
        if (left.signal.aborted) return;
        for (let at = 0; at < bytes.length; at += longestPiece)
          await remote.write(Buffer.from(bytes.subarray(at, at + longestPiece)));
      }
    remote.endInput();
  };
  // A broken pipe counts as the end of the input.
  feed().catch(() => remote.endInput());
  return () => {
    left.abort();
    stdin.destroy();
  };
}

async function printOutput(remote: RemoteCommand, { streams }: Context, isTerminal: boolean): Promise<RemoteEnd> {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  for (;;) {
    const { done, value } = await remote.output.next();
    if (done) return value;
    const { from, bytes } = value;
    const out = streams[from];
    // A terminal obeys what it is sent: only where it was lent to the command.
    const isShown = out.isTTY === true && !isTerminal;
    const piece = isShown ? lines(decoders[from].decode(bytes, { stream: true })) : bytes;
    if (!out.write(piece)) await new Promise<void>((resolve) => out.once('drain', resolve));
  }
}

function lines(text: string): string {
  return text
    .split(/(\r?\n|\t)/)
    .map((part, at) => (at % 2 === 1 ? part : printable(part)))
    .join('');
}

/** @returns the exit status of the command. */
function reported({ terminal, signal }: Context, end: RemoteEnd): number {
  switch (end.kind) {
    case 'ended':
      if (end.message !== undefined) terminal.printNote(printable(end.message));
      else if (end.exitCode === null) terminal.printNote('The container has ended, and the command with it.');
      return end.exitCode ?? statuses.refused;
    case 'refused':
      return terminal.refuse({ status: 400, ...end.problem });
    case 'broken':
      if (signal.aborted) return statuses.interrupted;
      terminal.printNote('The connection was lost. The command was stopped.');
      return statuses.unreachable;
  }
}

function sizeOf({ columns = 80, rows = 24 }: WriteStream): { columns: number; rows: number } {
  return { columns, rows };
}
