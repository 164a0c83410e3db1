/**
 * Connects a command with the client that started it. Binary messages of the client are input. Those of the service
 * begin with 1 for the standard output and 2 for the error output. All other messages are JSON: `resize` and
 * `end-of-input` from the client, `opened` and `ended` from the service.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { Value } from 'typebox/value';
import type { RawData, WebSocket } from 'ws';
import { parseJson } from '../../lib/json.ts';
import type { BegunExec } from './begin-exec.ts';
import { ControlMessage } from './exec-schemas.ts';

export type Message = [data: RawData, isBinary: boolean];

export type TerminalLimits = {
  /** The maximum duration. */
  wholeMs: number;
  /** The maximum time without data in either direction. */
  idleMs: number;
  /** The maximum number of bytes in each direction. */
  maxBytes: number;
  /** A client that has not answered a ping before the next one is treated as disconnected. */
  pingEveryMs: number;
};

/** The maximum wait until the client has read the end message. */
const goodbyeMs = 5_000;

export type Stops = { gone: AbortSignal; stop: AbortSignal; revoked: AbortSignal };

/** Why the service has ended it. */
type Cause = 'too-long' | 'idle' | 'too-much' | 'revoked' | 'service-leaves';

const describeEnd: Record<Cause, string> = {
  'too-long': 'The command reached the maximum run time.',
  idle: 'The command reached the maximum time without output.',
  'too-much': 'The command reached the maximum output.',
  revoked: 'You no longer have permission to run this command.',
  'service-leaves': 'The service restarts. Connect again.',
};

/**
 * Resolves when the command has ended and the client was notified or has disconnected. `early`: the messages received
 * before.
 */
export async function converse(
  { socket, early }: { socket: WebSocket; early: readonly Message[] },
  { exec, replica }: Pick<BegunExec, 'exec' | 'replica'>,
  { wholeMs, idleMs, maxBytes, pingEveryMs }: TerminalLimits,
  { gone, stop, revoked }: Stops,
): Promise<void> {
  const { promise: stopped, resolve: endWith } = Promise.withResolvers<Cause | 'gone'>();
  const whole = setTimeout(() => endWith('too-long'), wholeMs);
  const idle = setTimeout(() => endWith('idle'), idleMs);
  const listen = (signal: AbortSignal, cause: Cause | 'gone') =>
    signal.aborted ? endWith(cause) : signal.addEventListener('abort', () => endWith(cause), { once: true });
  listen(gone, 'gone');
  listen(stop, 'service-leaves');
  listen(revoked, 'revoked');
  const pinging = startPinging(socket, pingEveryMs, () => endWith('gone'));
  try {
    const onBytes = () => void idle.refresh();
    const take = takeInput(socket, exec, maxBytes, onBytes, () => endWith('too-much'));
    for (const message of early) take(...message);
    socket.on('message', take);
    await send(socket, JSON.stringify({ kind: 'opened', replica }));
    socket.resume();
    const given = giveOutput(socket, exec, maxBytes, onBytes);
    // A command that has closed its outputs continues within the same limits.
    const byItself = given.then(async (end) => end ?? { exitCode: (await exec.exitCode()) ?? null });
    const cause = await Promise.race([byItself, stopped]);
    socket.off('message', take);
    if (cause === 'gone') return;
    if (typeof cause === 'object') return await send(socket, JSON.stringify({ kind: 'ended', ...cause }));
    const ended = { kind: 'ended', exitCode: null, because: cause, message: describeEnd[cause] };
    // A client that does not read must not block its place or the service.
    await Promise.race([send(socket, JSON.stringify(ended)), delay(goodbyeMs, undefined, { ref: false })]);
  } finally {
    for (const timer of [whole, idle, pinging]) clearTimeout(timer);
  }
}

/** Passes pieces one after another. A slow reader delays the writer. */
function takeInput(
  socket: WebSocket,
  exec: BegunExec['exec'],
  maxBytes: number,
  onBytes: () => void,
  onTooMuch: () => void,
): (...message: Message) => void {
  let left = maxBytes;
  let before = Promise.resolve();
  const inTurn = (work: () => unknown) => {
    socket.pause();
    before = before.then(work).then(
      () => socket.resume(),
      () => {},
    );
  };
  return (data, isBinary) => {
    const bytes = bytesOf(data);
    left -= bytes.length;
    if (left < 0) return onTooMuch();
    if (isBinary) {
      onBytes();
      return inTurn(() => exec.write(bytes));
    }
    const message = readControl(String(data));
    if (message?.kind === 'resize') inTurn(() => exec.resize(message).catch(() => {}));
    if (message?.kind === 'end-of-input') inTurn(() => exec.endInput());
  };
}

/** Ignores invalid messages. */
function readControl(text: string): ControlMessage | undefined {
  const message = parseJson(text);
  return Value.Check(ControlMessage, message) ? message : undefined;
}

function bytesOf(data: RawData): Uint8Array {
  return Buffer.isBuffer(data) ? data : Array.isArray(data) ? Buffer.concat(data) : new Uint8Array(data);
}

async function giveOutput(
  socket: WebSocket,
  exec: BegunExec['exec'],
  maxBytes: number,
  onBytes: () => void,
): Promise<'too-much' | undefined> {
  let left = maxBytes;
  for await (const { from, bytes } of exec.output) {
    left -= bytes.length;
    if (left < 0) return 'too-much';
    onBytes();
    await send(socket, Buffer.concat([Buffer.of(from === 'stdout' ? 1 : 2), bytes]));
  }
  return undefined;
}

/** Resolves when the message was sent. Ignores a closed connection. */
function send(socket: WebSocket, data: string | Buffer): Promise<void> {
  return new Promise((resolve) => socket.send(data, () => resolve()));
}

/** Only pings detect a connection that breaks silently. */
function startPinging(socket: WebSocket, everyMs: number, onSilence: () => void): NodeJS.Timeout {
  let hasAnswered = true;
  socket.on('pong', () => {
    hasAnswered = true;
  });
  return setInterval(() => {
    // While a slow command reads earlier input, responses to pings are not read.
    if (socket.isPaused) return;
    if (!hasAnswered) {
      socket.terminate();
      return onSilence();
    }
    hasAnswered = false;
    socket.ping();
  }, everyMs);
}
