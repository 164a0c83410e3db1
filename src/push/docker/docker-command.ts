/** The user's own Docker, through its command, which knows the user's contexts, logins and engine. */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PushFault } from '../push-fault.ts';

export type Docker = {
  /** `linux/amd64`. */
  platform: string;
  /** Without BuildKit, the classic builder is used, which supports no secrets and no additional contexts. */
  hasBuildKit: boolean;
  /** Runs `docker` with these words. Never throws for a status; see `runQuietly`. */
  run(words: readonly string[], running?: Running): Promise<Outcome>;
  /** Returns the output; throws a fault if the command fails. */
  runQuietly(words: readonly string[]): Promise<string>;
};

export type Running = {
  /** Default: where this command was started. */
  cwd?: string;
  env?: Readonly<Record<string, string>>;
  input?: () => Readable;
  /** Receives the standard output, instead of the outcome. */
  output?: (stdout: Readable) => Promise<void>;
  /** Called with each line of output for people. */
  onLine?: (line: string) => void;
};

export type Outcome = { status: number; stdout: string; lines: string[] };

type Surroundings = { env: Record<string, string | undefined>; signal: AbortSignal };

/** The number of output lines that are kept. */
const keptLines = 40;
/** The maximum length of kept output. */
const maxAnswered = 8 * 2 ** 20;

/** The Docker of this machine. Throws a fault if it is missing or does not answer. */
export async function findDocker(surroundings: Surroundings): Promise<Docker> {
  const run = (words: readonly string[], running?: Running) => runDocker(words, surroundings, running);
  const runQuietly = async (words: readonly string[]) => {
    const { status, stdout, lines } = await run(words);
    if (status === 0) return stdout.trim();
    throw new PushFault(`docker ${words[0]} has failed: ${lines.at(-1) ?? `status ${status}`}`, { output: lines });
  };
  const version = await run(['version', '--format', '{{.Server.Os}}/{{.Server.Arch}}']);
  if (version.status !== 0) {
    const why = version.lines.find((line) => /cannot connect|permission denied|error/i.test(line)) ?? version.lines[0];
    throw new PushFault(`Docker does not answer${why ? `: ${why}` : '.'}`, { hint: withoutDocker });
  }
  const buildx = await run(['buildx', 'version']);
  return { platform: version.stdout.trim(), hasBuildKit: buildx.status === 0, run, runQuietly };
}

const withoutDocker =
  'Docker is required to build images or to add files to them. Without Docker, use images from a registry, and put small files into the document.';

async function runDocker(
  words: readonly string[],
  { env, signal }: Surroundings,
  { cwd, env: more, input, output, onLine }: Running = {},
): Promise<Outcome> {
  signal.throwIfAborted();
  const child = spawn('docker', words, {
    env: { ...env, ...more },
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
    ...(cwd !== undefined && { cwd }),
  });
  const lines: string[] = [];
  const hear = eachLine((line) => {
    if (lines.push(line) > keptLines) lines.shift();
    onLine?.(line);
  });
  child.stderr.setEncoding('utf8').on('data', hear.take);
  let stdout = '';
  const reading = output
    ? output(child.stdout)
    : (async () => {
        child.stdout.setEncoding('utf8');
        for await (const piece of child.stdout) {
          if (onLine) hear.take(piece as string);
          if (stdout.length < maxAnswered) stdout += piece;
        }
      })();
  // A program that ends before it has read all input reports the reason by its status.
  const writing = input ? pipeline(input(), child.stdin).catch(brokenPipe) : child.stdin.end();
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === 'ENOENT' && !signal.aborted;
      reject(isMissing ? new PushFault('Docker is not installed here.', { hint: withoutDocker }) : error);
    });
    child.once('close', (status) => resolve(status ?? 1));
  });
  const [status] = await Promise.all([ended, reading, writing]).catch((error) => {
    child.kill();
    throw error;
  });
  hear.end();
  return { status, stdout, lines };
}

function brokenPipe(error: NodeJS.ErrnoException): void {
  if (!['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET'].includes(error.code ?? '')) throw error;
}

function eachLine(onLine: (line: string) => void) {
  let rest = '';
  return {
    take(piece: string) {
      const parts = (rest + piece).split(/\r?\n|\r/);
      rest = parts.pop()!.slice(-10_000);
      for (const line of parts) if (line.trim() !== '') onLine(line);
    },
    end() {
      if (rest.trim() !== '') onLine(rest);
      rest = '';
    },
  };
}
