/** Programs in pods, with their input and output. The cluster forwards each through one connection. */
import { PassThrough, Writable } from 'node:stream';
import type { Exec, V1Status } from '@kubernetes/client-node';
import { EngineFault } from '../engine.ts';

/** Ends with the program; `code` absent: it could not be started, for the reason in `output`. */
export type RunInPod = (
  pod: PodAddress,
  command: readonly string[],
  signal: AbortSignal,
  streams?: ProgramStreams,
) => Promise<ProgramEnd>;

export type PodAddress = { namespace: string; pod: string; container: string };

export type ProgramEnd = { code?: number; output: string; isFlood: boolean };

/**
 * `input`: writes the program's input, without an end, which older clusters cannot signal. `output`: receives the
 * program's output with backpressure, instead of `output` of the result.
 */
export type ProgramStreams = { input?: (to: Writable) => Promise<void>; output?: Writable };

const keptBytes = 64 * 1024;
const floodBytes = 1024 * 1024;

/** How much output is buffered for a slow reader. */
const waitingBytes = 4 * 1024 * 1024;

/** The stream of the connection that goes to the program. */
const inputChannel = Buffer.of(0);

/** The abort closes the connection. The program itself cannot be ended then. */
export async function runInPod(
  exec: Exec,
  { namespace, pod, container }: PodAddress,
  command: readonly string[],
  signal: AbortSignal,
  { input, output }: ProgramStreams = {},
): Promise<ProgramEnd> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const { promise, resolve, reject } = Promise.withResolvers<ProgramEnd>();
  const said = () => Buffer.concat(chunks).toString('utf8').slice(0, keptBytes);
  const words = new PassThrough();
  words.on('data', (chunk: Buffer) => {
    if (bytes < keptBytes) chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > floodBytes) resolve({ output: said(), isFlood: true });
  });
  const taken = output && passTo(output);
  taken?.once('error', reject);
  let hasEnded = false;
  const stdin = input ? new PassThrough() : null;
  const opening = exec.exec(namespace, pod, container, [...command], taken ?? words, words, stdin, false, (status) => {
    hasEnded = true;
    const { code, words } = statusOf(status);
    const end = { ...(code !== undefined && { code }), output: words ?? said(), isFlood: false };
    // If the stream was closed, the result depends on that. Its buffered content is handled before the end.
    if (!taken || taken.writableFinished) resolve(end);
    else taken.once('finish', () => resolve(end));
  });
  const socket = await opening.catch(throwFault);
  const end = () => reject(signal.reason ?? new EngineFault('unavailable', 'The connection to the pod was closed.'));
  socket.on('close', () => {
    if (!hasEnded) end();
  });
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  if (taken) {
    socket.on('message', () => {
      if (taken.writableNeedDrain) socket.pause();
    });
    taken.on('drain', () => socket.resume());
  }
  const fed = new Writable({
    write: (chunk: Uint8Array, _, done) => socket.send(Buffer.concat([inputChannel, chunk]), done),
  });
  fed.on('error', end);
  input?.(fed).catch(reject);
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', end);
    socket.close();
  }
}

/** The library's errors of failed or refused connections contain the request, including a token. */
function throwFault({ message }: { message?: string }): never {
  const cause = new Error(message);
  throw new EngineFault('unavailable', 'The cluster runs no program in the pod now.', { cause });
}

/** Returns a stream that ends when all data has been passed on. The target stays open. */
function passTo(output: Writable): Writable {
  return new Writable({
    highWaterMark: waitingBytes,
    write: (chunk: Uint8Array, _, done) => void output.write(chunk, done),
  });
}

/** How a program in a pod ended, as reported by the cluster. */

/** `words`: the cluster's message if the program could not be started and has no code. */
export type ProgramStatus = { code?: number; words?: string };

export function statusOf({ status, details, message }: V1Status): ProgramStatus {
  if (status === 'Success') return { code: 0 };
  const causes = (details?.causes ?? []) as { reason?: string; message?: string }[];
  const reported = causes.find(({ reason }) => reason === 'ExitCode')?.message;
  return reported === undefined ? { words: message ?? '' } : { code: Number(reported) };
}
