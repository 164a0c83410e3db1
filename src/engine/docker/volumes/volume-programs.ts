/** Programs of the host that make and mount file systems: an argument list each, never a shell string. */
import { execFile } from 'node:child_process';

/** Each of them takes milliseconds; one that hangs must not hang a deployment for ever. */
const programMs = 120_000;

/** Daemons' environments often leave out where these programs are. */
export const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Its standard output. Throws with its exit code as `code` and its last words as the message; also when the abort ends it. */
export function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  input?: string,
  signal?: AbortSignal,
  timeoutMs = programMs,
): Promise<string> {
  signal?.throwIfAborted();
  const env = { PATH: path, LC_ALL: 'C' };
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { env, timeout: Math.max(1, Math.ceil(timeoutMs)), maxBuffer: 64 * 2 ** 20 },
      (error, stdout, stderr) => {
        signal?.removeEventListener('abort', end);
        if (!error) return resolve(stdout);
        const words = stderr.trim().split('\n').slice(-3).join(' ') || error.message;
        reject(new ProgramError(`${program}: ${words}`, error.code, stdout));
      },
    );
    // Not by `execFile` itself, which would not wait for its end.
    const end = () => child.kill('SIGKILL');
    signal?.addEventListener('abort', end, { once: true });
    if (input !== undefined) child.stdin?.on('error', () => {}).end(input);
  });
}

export class ProgramError extends Error {
  /** The exit code, or the system's word for why it did not start (`ENOENT`). */
  readonly code: number | string | null | undefined;
  /** What it wrote before it failed. */
  readonly output: string;

  constructor(message: string, code: number | string | null | undefined, output: string) {
    super(message);
    this.name = 'ProgramError';
    this.code = code;
    this.output = output;
  }
}

/** Also where a program says so. */
export function isDiskFull(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOSPC' || /no space left/i.test(String(error));
}
