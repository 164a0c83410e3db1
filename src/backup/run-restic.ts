/**
 * Runs restic. The password is passed through standard input, so that it is not in the process list or the environment.
 * Keys of an S3-compatible store are passed in the environment, as this process received them.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { programPath } from '../lib/program-path.ts';
import { runProgram } from '../lib/run-program.ts';
import { BackupFault } from './backup-fault.ts';

/** Writes to `to` without ending it. Stops at the abort. */
export type WriteTo = (to: Writable, signal: AbortSignal) => Promise<void>;

/** `take`, `into`: receive the output, instead of the result. `feed`: writes the input. */
export type ResticRun = {
  cwd?: string;
  take?: (piece: Uint8Array) => void;
  into?: Writable;
  feed?: WriteTo;
  signal?: AbortSignal;
};

/**
 * If the data comes on the standard input, its first line is the password: the shell reads only that line, and passes
 * it on through a pipe. The script is constant.
 */
const fedScript = `IFS= read -r line
exec restic "$@" --password-file /dev/fd/3 3<<END
$line
END`;

/** The kernel uses the other processors for its own work, such as syncing the writes of applications. */
const processors = String(Math.max(1, Math.floor(availableParallelism() / 2)));
/**
 * With niceness 10, applications get nine times as much of a busy processor. With 19, a backup almost stopped (291 s
 * for a small one).
 */
const givingWay = ['-n', '10'];
/** The exit code of `nice` and of a shell for a missing program. */
const notFound = 127;

/** @returns the output. Throws BackupFault if the exit code is not 0, and the errors of `feed` and `into`. */
export function runRestic(
  words: readonly string[],
  password: string,
  env: Record<string, string | undefined>,
  { cwd, take, into, feed, signal }: ResticRun,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const argv = feed ? ['sh', '-c', fedScript, 'sh', ...words] : ['restic', ...words];
    const child = spawn('nice', [...givingWay, ...argv], {
      env: environmentOf(env),
      stdio: 'pipe',
      ...(cwd && { cwd }),
      ...(signal && { signal }),
    });
    yieldCpu(child);
    const out: Uint8Array[] = [];
    let complaint = '';
    let fault: unknown;
    let isBroken = false;
    const ended = new AbortController();
    const giveUp = (error: unknown) => {
      fault ??= error;
      // The input stays open, because at its end restic would store what it has received so far.
      endProgram(child);
    };
    if (into) copy(child.stdout, into).catch(giveUp);
    else child.stdout.on('data', take ?? ((piece: Uint8Array) => void out.push(piece)));
    child.stderr.on('data', (piece: Uint8Array) => {
      complaint = `${complaint}${String(piece)}`.slice(-maxWords);
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') reject(new BackupFault(missing));
      // The program still has files open, which the caller may want to unmount.
      else if (error.name === 'AbortError') endProgram(child);
      else reject(new BackupFault(`restic: ${error.message}`));
    });
    child.once('close', (status) => {
      ended.abort();
      if (signal?.aborted) reject(new BackupFault(endedWords(signal)));
      else if (fault !== undefined) reject(fault);
      else if (status === notFound) reject(new BackupFault(missing));
      else if (status === 0 && !isBroken) resolve(Buffer.concat(out).toString('utf8'));
      else reject(new BackupFault(messageOf(complaint, status), { isFull: /no space left/i.test(complaint) }));
    });
    // A program that ends before it has read the password reports the reason itself.
    child.stdin.on('error', () => {});
    if (!feed) child.stdin.end(`${password}\n`);
    else {
      child.stdin.write(`${password}\n`);
      const feeding = AbortSignal.any([ended.signal, ...(signal ? [signal] : [])]);
      const onFault = (error: unknown) => {
        // The program has ended and reports the reason itself.
        if (child.stdin.destroyed) isBroken = true;
        else giveUp(error);
      };
      feed(child.stdin, feeding).then(() => child.stdin.end(), onFault);
    }
  });
}

/** Copies one piece after another. A slow reader delays the copy. */
async function copy(from: Readable, to: Writable): Promise<void> {
  for await (const piece of from)
    await new Promise<void>((resolve, reject) => {
      to.write(piece, (error) => (error ? reject(error) : resolve()));
    });
}

function endProgram(child: ChildProcess): void {
  child.kill();
  setTimeout(() => child.kill('SIGKILL'), patienceMs).unref();
}

const missing = 'Backups are made with restic, which is not installed (Debian: `apt-get install restic`).';

/** At a signal, restic removes its locks first. */
const patienceMs = 10_000;

function endedWords({ reason }: AbortSignal): string {
  return reason?.name === 'TimeoutError' ? 'restic: it lasted too long, and was ended' : 'restic: it was ended';
}

const maxWords = 4000;

function messageOf(complaint: string, status: number | null): string {
  const lines = complaint
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('reading repository password'));
  return `restic: ${lines.slice(-4).join(' ') || `it ended with ${status ?? 'a signal'}`}`;
}

/** The variables for programs, the network and keys of a store. Berth's own settings are left out. */
const handedOn = /^(?:HOME|TMPDIR|XDG_RUNTIME_DIR|SSL_CERT_(?:FILE|DIR)|(?:HTTPS?|NO)_PROXY|AWS_[A-Z_]+)$/i;

function environmentOf(env: Record<string, string | undefined>): Record<string, string> {
  const chosen = Object.entries(env).flatMap(([name, value]) =>
    handedOn.test(name) && value !== undefined ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(chosen), PATH: programPath(env.PATH), LC_ALL: 'C', GOMAXPROCS: processors };
}

/**
 * Lowers the priority of a program, so that it only uses idle processor time. Niceness alone lets it keep a processor
 * until its time slice ends. Applications that sync their writes then waited for several slices (measured on two
 * processors: the 99th percentile of response times was 2.3 times the idle value, and 1.2 times with this).
 */

/**
 * Most runs end sooner. After this long without processor time, the program continues with a normal share, because a
 * user waits for it. With 10 s for each run, on an overloaded machine, a test of twenty runs took four minutes.
 */
const longestMs = 2_000;

/** Applies to all threads. If the system does not allow it, the priority stays as it is. */
export function yieldCpu(child: ChildProcess, withinMs = longestMs): void {
  const { pid } = child;
  if (pid === undefined) return;
  const yielding = schedule(pid, '--idle');
  const timer = setTimeout(async () => {
    await yielding;
    await schedule(pid, '--other');
  }, withinMs).unref();
  child.once('exit', () => clearTimeout(timer));
}

async function schedule(pid: number, policy: '--idle' | '--other'): Promise<void> {
  // The call may not be permitted, or the program may have ended.
  await runProgram(['chrt', '--all-tasks', policy, '--pid', '0', String(pid)]).catch(() => {});
}
