/** The programs that set up networks, run as root or by sudo. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { ProgramError, programEnvironment, runProgram } from '../../../lib/run-program.ts';

/** Commands take at most 30 ms. On a machine with a load of 20, a Node program took 10 s to start. */
const timeoutMs = 60_000;

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

export function asRoot(argv: string[]): string[] {
  return isRoot() ? argv : ['sudo', '--non-interactive', ...argv];
}

/** Starts a program with its input and output in our hands. */
export function start(argv: string[]): ChildProcess {
  const [program = '', ...args] = argv;
  return spawn(program, args, {
    env: programEnvironment,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Starts a program that reports until it is killed. */
export function startToListen(argv: string[]): ChildProcess {
  const [program = '', ...args] = argv;
  return spawn(program, args, { env: programEnvironment, stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Runs a program to its end and returns its output. Throws ProgramError. */
export async function run(argv: readonly string[], input?: string): Promise<string> {
  return await runProgram(argv, { input, timeoutMs });
}

/** Executes rules as one transaction, completely or not at all. Throws ProgramError. */
export async function apply(rules: string): Promise<void> {
  await run(asRoot(['nft', '--file', '-']), rules);
}

/** A table as JSON, or undefined if it does not exist. Throws ProgramError. */
export async function list(table: string): Promise<string | undefined> {
  try {
    return await run(asRoot(['nft', '--json', '--stateless', 'list', 'table', 'inet', table]));
  } catch (error) {
    if (error instanceof ProgramError && /No such file or directory/.test(error.message)) return undefined;
    throw error;
  }
}

/**
 * Notices changes of a table through the kernel. Listing a table starts a program each time; listening needs one
 * program that sleeps until a change.
 */

/** A listener that ended is restarted after this pause. */
const pauseMs = 10_000;

export type TableWatch = Disposable & {
  /** Returns whether the table may have changed since the last call. True if that is unknown. */
  mayHaveChanged(): boolean;
};

/** Before its first message, and while its listener is down, this is unknown. */
export function watchTable(table: string): TableWatch {
  // A listener that sudo has started could not be ended, and would outlive this process where that is killed.
  if (!isRoot()) return { mayHaveChanged: () => true, [Symbol.dispose]() {} };
  let isHeard = false;
  let hasChanged = true;
  let isClosed = false;
  let restart: NodeJS.Timeout | undefined;
  let listener = listen();

  function listen() {
    // The kernel ends it with this process, however that ends.
    const child = startToListen(['setpriv', '--pdeathsig', 'KILL', 'nft', 'monitor']);
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (!concerns(line, table)) return;
      isHeard = true;
      hasChanged = true;
    });
    child.once('error', () => {}).once('close', listenAgain);
    return child;
  }

  function listenAgain(): void {
    isHeard = false;
    if (isClosed) return;
    restart = setTimeout(() => {
      listener = listen();
    }, pauseMs).unref();
  }

  return {
    mayHaveChanged() {
      const may = hasChanged || !isHeard;
      hasChanged = false;
      return may;
    },
    [Symbol.dispose]() {
      isClosed = true;
      clearTimeout(restart);
      listener.kill('SIGKILL');
    },
  };
}

/** PURE. Whether a line of `nft monitor` is about this table, or reports lost messages. */
export function concerns(line: string, table: string): boolean {
  return line.startsWith('# ERROR') || `${line} `.includes(` inet ${table} `);
}
