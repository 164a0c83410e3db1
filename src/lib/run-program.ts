/** Runs programs of this machine to their end: an argument list each, never a shell string. */
import { execFile } from 'node:child_process';
import { programPath } from './program-path.ts';

export type RunOptions = {
  /** Written to the standard input. */
  input?: string | undefined;
  /** The program is killed at the abort, and the promise settles once it has ended. */
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
};

/**
 * These programs take milliseconds, or seconds on a busy machine. This limit prevents a hanging one from blocking its
 * caller.
 */
const longestMs = 120_000;
const maxOutputBytes = 64 * 2 ** 20;

/** The service's own environment holds secrets and is not passed on. */
export const programEnvironment = { PATH: programPath(process.env.PATH), LC_ALL: 'C' };

/** Returns the standard output. Throws ProgramError, or the reason of a signal that is aborted already. */
export async function runProgram(argv: readonly string[], options: RunOptions = {}): Promise<string> {
  const { input = '', signal, timeoutMs = longestMs } = options;
  const [program = '', ...args] = argv;
  signal?.throwIfAborted();
  const limits = {
    timeout: Math.max(1, Math.ceil(timeoutMs)),
    killSignal: 'SIGKILL',
    maxBuffer: maxOutputBytes,
  } as const;
  return await new Promise((resolve, reject) => {
    const child = execFile(program, args, { env: programEnvironment, ...limits }, (error, stdout, stderr) => {
      signal?.removeEventListener('abort', end);
      if (error) reject(new ProgramError(program, error, stdout, stderr));
      else resolve(stdout);
    });
    // The signal option of `execFile` would not wait for the end of the program.
    const end = () => child.kill('SIGKILL');
    signal?.addEventListener('abort', end, { once: true });
    // A program that ends without reading explains itself by its exit code.
    child.stdin?.on('error', () => {}).end(input);
  });
}

/** A program that did not start or failed. The message contains the last lines of its standard error. */
export class ProgramError extends Error {
  /** The exit code, or the system's code if the program did not start (`ENOENT`). */
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** The program that is not installed, if that is the cause. */
  readonly missing: string | undefined;

  constructor(program: string, error: Error & { code?: number | string | null }, stdout: string, stderr: string) {
    super(`${program}: ${stderr.trim().split('\n').slice(-3).join(' ') || error.message}`, { cause: error });
    this.name = 'ProgramError';
    this.code = error.code;
    this.stdout = stdout;
    this.stderr = stderr;
    this.missing = error.code === 'ENOENT' ? program : /sudo: (.*): command not found/.exec(stderr)?.[1];
  }
}
