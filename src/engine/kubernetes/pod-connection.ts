/** A program in a pod with both outputs separate, over one connection through the cluster. */
import { PassThrough, Writable } from 'node:stream';
import type { Exec } from '@kubernetes/client-node';
import type { ExecOutput, TerminalSize } from '../exec.ts';
import { type PodAddress, type ProgramStatus, statusOf } from './pod-programs.ts';

export type PodConnection = {
  /** The output, until the program or the connection ends. A slow reader delays the program. Can be read once. */
  output: AsyncIterable<ExecOutput>;
  /** Resolves when it is sent. Returns false if the input is closed. */
  send(bytes: Uint8Array): Promise<boolean>;
  resize(size: TerminalSize): Promise<void>;
  /** Resolves once its output was read. Empty where the connection has ended before it. */
  end: Promise<ProgramStatus>;
  close(): void;
};

/** Throws an Error with the words of the connection where it fails or is refused. */
export type ConnectToPod = (
  pod: PodAddress,
  command: readonly string[],
  terminal?: TerminalSize,
) => Promise<PodConnection>;

/** The streams of a connection. */
const inputChannel = Buffer.of(0);
const sizeChannel = Buffer.of(4);

export async function connectToPod(
  exec: Exec,
  { namespace, pod, container }: PodAddress,
  command: readonly string[],
  terminal?: TerminalSize,
): Promise<PodConnection> {
  const output = new PassThrough({ objectMode: true });
  const { promise: end, resolve: finish } = Promise.withResolvers<ProgramStatus>();
  let status: ProgramStatus = {};
  output.once('close', () => finish(status));
  const passed = (from: ExecOutput['from']) =>
    new Writable({
      write(bytes: Uint8Array, _, done) {
        if (output.writable) output.write({ from, bytes } satisfies ExecOutput);
        done();
      },
    });
  const hasTerminal = terminal !== undefined;
  const stderr = hasTerminal ? null : passed('stderr');
  // Input is written to the connection itself, which reports when it is sent.
  const stdin = new PassThrough();
  const words = [...command];
  const stdout = passed('stdout');
  const opening = exec.exec(namespace, pod, container, words, stdout, stderr, stdin, hasTerminal, (found) => {
    status = statusOf(found);
    output.end();
  });
  const socket = await opening.catch(throwError);
  socket.on('close', () => output.end());
  socket.on('error', () => {});
  socket.on('message', () => {
    if (output.writableNeedDrain) socket.pause();
  });
  output.on('drain', () => socket.resume());
  const send = (channel: Buffer, bytes: Uint8Array) =>
    new Promise<boolean>((resolve) => {
      if (!output.writable || socket.readyState !== socket.OPEN) return resolve(false);
      socket.send(Buffer.concat([channel, bytes]), (error) => resolve(!error && output.writable));
    });
  const resize = async ({ columns, rows }: TerminalSize) => {
    if (hasTerminal) await send(sizeChannel, Buffer.from(JSON.stringify({ Width: columns, Height: rows })));
  };
  if (terminal) await resize(terminal);
  return {
    output: output as AsyncIterable<ExecOutput>,
    send: (bytes) => send(inputChannel, bytes),
    resize,
    end,
    close() {
      output.destroy();
      socket.terminate();
    },
  };
}

/** The library's errors of failed or refused connections contain the request, including a token. */
function throwError({ message }: { message?: string }): never {
  throw new Error(message);
}
