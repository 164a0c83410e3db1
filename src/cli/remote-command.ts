/** A command that runs in a pod, by the service's WebSocket `/openTerminal`. */

import type { IncomingMessage } from 'node:http';
import WebSocket from 'ws';
import { type Problem, problemOf } from '../client/request.ts';
import { parseObject } from '../lib/json.ts';

/** The service pings every 20 s. */
const silenceMs = 60_000;
const connectWithinMs = 15_000;
/** Maximum number of messages that wait to be printed. */
const maxWaiting = 64;

type Size = { columns: number; rows: number };

export type Opening = {
  applicationName: string;
  environment?: string;
  pod: string;
  replica?: number;
  command?: string[];
  terminal?: Size;
};

/** How the command ended: as reported by the service, or by a lost connection. */
export type RemoteEnd =
  | { kind: 'ended'; exitCode: number | null; because?: string; message?: string }
  | { kind: 'refused'; problem: Omit<Problem, 'status'> }
  | { kind: 'broken' };

export type RemoteOutput = { from: 'stdout' | 'stderr'; bytes: Uint8Array };

export type RemoteCommand = {
  /** The output; the last value is how the command has ended. */
  output: AsyncGenerator<RemoteOutput, RemoteEnd>;
  /** Resolves when it has left. */
  write(bytes: Buffer): Promise<void>;
  endInput(): void;
  resize(size: Size): void;
  /** The service ends the command then. */
  close(): void;
};

type ServiceAccess = { server: string; token: string | undefined; signal: AbortSignal };
type Opened = { ok: true; value: RemoteCommand } | { ok: false; problem: Problem };

/** Opens a connection, and starts the command. Aborting `signal` ends both, at any time. */
export async function openRemoteCommand({ server, token, signal }: ServiceAccess, opening: Opening): Promise<Opened> {
  const socket = new WebSocket(`${server.replace(/^http/, 'ws')}/openTerminal`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    handshakeTimeout: connectWithinMs,
    perMessageDeflate: false,
    followRedirects: false,
  });
  const refusal = await connected(socket, server, signal);
  if (refusal) return { ok: false, problem: refusal };
  const remote = createRemote(socket);
  const close = () => remote.close();
  signal.addEventListener('abort', close, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', close));
  socket.send(JSON.stringify({ kind: 'open', ...opening }));
  const first = await remote.firstWord;
  if (first.kind === 'refused') return { ok: false, problem: { status: 400, ...first.problem } };
  return { ok: true, value: remote };
}

/** Undefined when it is; else why not. */
async function connected(socket: WebSocket, server: string, signal: AbortSignal): Promise<Problem | undefined> {
  let giveUp = () => {};
  const problem = await new Promise<Problem | undefined>((resolve) => {
    giveUp = () => resolve({ status: 0, code: 'aborted', error: 'The request was cancelled.' });
    signal.addEventListener('abort', giveUp, { once: true });
    socket.once('open', () => resolve(undefined));
    socket.once('unexpected-response', (_, response: IncomingMessage) => void readRefusal(response).then(resolve));
    socket.on('error', () =>
      resolve({
        status: 0,
        code: 'unreachable',
        error: `${server} does not answer.`,
        hint: 'Check your connection, then try again.',
      }),
    );
  });
  signal.removeEventListener('abort', giveUp);
  if (problem) socket.terminate();
  return problem;
}

async function readRefusal(response: IncomingMessage): Promise<Problem> {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  const headers = new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
  return problemOf({ status: response.statusCode ?? 0, headers }, parseObject(Buffer.concat(pieces).toString()));
}

type FirstWord = { kind: 'opened' } | RemoteEnd;

function createRemote(socket: WebSocket): RemoteCommand & { firstWord: Promise<FirstWord> } {
  const waiting: RemoteOutput[] = [];
  let end: RemoteEnd | undefined;
  let wake = () => {};
  let hear: (word: FirstWord) => void = () => {};
  const firstWord = new Promise<FirstWord>((resolve) => {
    hear = resolve;
  });
  const finish = (given: RemoteEnd) => {
    end ??= given;
    hear(given);
    wake();
  };
  const silence = setTimeout(() => socket.terminate(), silenceMs);
  socket.on('ping', () => silence.refresh());
  socket.on('close', () => {
    clearTimeout(silence);
    finish({ kind: 'broken' });
  });
  socket.on('message', (data, isBinary) => {
    silence.refresh();
    if (isBinary) {
      const bytes = data as Buffer;
      waiting.push({ from: bytes[0] === 2 ? 'stderr' : 'stdout', bytes: bytes.subarray(1) });
      if (waiting.length >= maxWaiting) socket.pause();
      return wake();
    }
    const { kind, ...rest } = parseObject(String(data));
    if (kind === 'opened') hear({ kind });
    else if (kind === 'ended') finish({ kind, ...(rest as { exitCode: number | null }) });
    else if (kind === 'refused') finish({ kind, problem: rest as Omit<Problem, 'status'> });
  });
  async function* outputOf(): AsyncGenerator<RemoteOutput, RemoteEnd> {
    for (;;) {
      const next = waiting.shift();
      if (next) {
        yield next;
        if (waiting.length === 0) socket.resume();
        continue;
      }
      if (end) return end;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  const send = (data: string | Buffer) => new Promise<void>((resolve) => socket.send(data, () => resolve()));
  return {
    firstWord,
    output: outputOf(),
    write: (bytes) => send(bytes),
    endInput: () => void send('{"kind":"end-of-input"}'),
    resize: (size) => void send(JSON.stringify({ kind: 'resize', ...size })),
    close: () => {
      if (socket.readyState === WebSocket.OPEN) socket.close();
      // Does not wait longer for the other side to close the connection.
      setTimeout(() => socket.terminate(), 1_000).unref();
    },
  };
}
