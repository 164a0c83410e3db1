/** Running programs that set up networks: argument lists and standard input, never a shell; as root or by sudo. */
import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { programPath } from '../../../lib/program-path.ts';

const path = programPath(process.env.PATH);

/** Nothing here takes longer than some 30 ms; on a machine with 20 times its work a program of Node took 10 s to start. */
const timeoutMs = 60_000;

/** The environment is not passed on: it holds the service's secrets. */
const env = { PATH: path, LC_ALL: 'C' };

/** A program that could not be run, or said no; the message is its own words. */
export class ProgramError extends Error {
  /** The program that is not installed, where that is what is wrong. */
  readonly missing: string | undefined;

  constructor(message: string, missing?: string) {
    super(message);
    this.missing = missing;
  }
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

export function asRoot(argv: string[]): string[] {
  return isRoot() ? argv : ['sudo', '--non-interactive', ...argv];
}

/** Starts a program with its input and output in our hands. */
export function start(argv: string[]): ChildProcess {
  const [program = '', ...args] = argv;
  return spawn(program, args, { env, timeout: timeoutMs, killSignal: 'SIGKILL', stdio: ['pipe', 'pipe', 'pipe'] });
}

/** Starts a program that tells something until it is ended. */
export function startToListen(argv: string[]): ChildProcess {
  const [program = '', ...args] = argv;
  return spawn(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Runs a program to its end and answers what it has written. Throws ProgramError. */
export async function run(argv: string[], input = ''): Promise<string> {
  const child = start(argv);
  const ended = new Promise<{ code: number | null } | { error: NodeJS.ErrnoException }>((resolve) => {
    child.once('error', (error) => resolve({ error }));
    child.once('close', (code) => resolve({ code }));
  });
  // One that ends without reading says why in its own words.
  child.stdin!.on('error', () => {});
  child.stdin!.end(input);
  const [output, words, end] = await Promise.all([text(child.stdout!), text(child.stderr!), ended]);
  if ('error' in end) throw startError(argv[0]!, end.error);
  if (end.code === 0) return output;
  // What sudo says of a program that is not there.
  const [, missing] = /sudo: (.*): command not found/.exec(words) ?? [];
  throw new ProgramError(words.trim().split('\n').slice(0, 3).join(' ') || `${argv[0]} failed`, missing);
}

/** The system's own error of a program that could not even be started. */
export function startError(program: string, { message, code }: NodeJS.ErrnoException): ProgramError {
  return new ProgramError(`${program}: ${message}`, code === 'ENOENT' ? program : undefined);
}

/** Executes a text of rules as one transaction: all of it or nothing. Throws ProgramError. */
export async function apply(rules: string): Promise<void> {
  await run(asRoot(['nft', '--file', '-']), rules);
}

/** A table as JSON; undefined when there is none of that name. Throws ProgramError. */
export async function list(table: string): Promise<string | undefined> {
  try {
    return await run(asRoot(['nft', '--json', '--stateless', 'list', 'table', 'inet', table]));
  } catch (error) {
    if (error instanceof ProgramError && /No such file or directory/.test(error.message)) return undefined;
    throw error;
  }
}
