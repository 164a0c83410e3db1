/** The programs that set up networks, run as root or by sudo. */
import { type ChildProcess, spawn } from 'node:child_process';
import { ProgramError, programEnvironment, runProgram } from '../../../lib/run-program.ts';

/** Nothing here takes longer than 30 ms. On a machine with 20 times its load, a Node program took 10 s to start. */
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
