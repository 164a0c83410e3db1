/** A project of Docker Compose: brought up and taken down, with the time of each. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { lastLinesOf } from '../scripts/setup/commands.ts';
import type { Compose } from '../scripts/setup/compose.ts';
import type { AppSpec } from '../src/config/spec/spec.ts';
import { additionalFiles, composeFile, type Variant } from './compose-file.ts';
import type { Undo } from './undo.ts';

export type Project = {
  /** `docker compose up --wait`; resolves with the milliseconds from its start to its end. */
  up(signal: AbortSignal): Promise<number>;
  /** Writes the files of another specification; the next `up` brings it about. */
  change(spec: AppSpec): Promise<void>;
  /** `docker compose down --volumes`, likewise. */
  down(signal: AbortSignal): Promise<number>;
  /** The same without patience: PostgreSQL, stopped while it initialises, would use up all of the ten seconds. */
  discard(signal?: AbortSignal): Promise<number>;
};

export async function createProject(
  compose: Compose,
  spec: AppSpec,
  { name, ...variant }: Variant & { name: string },
  undo: Undo,
): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-bench-compose-'));
  undo.add(`remove ${folder}`, () => rm(folder, { recursive: true, force: true }));
  const write = async (some: AppSpec) => {
    for (const { path, content } of additionalFiles(some)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    await writeFile(join(folder, 'compose.yaml'), composeFile(some, variant));
  };
  await write(spec);

  const project = `berth-bench-${process.pid}-${name}`;
  const call = (words: string[], signal?: AbortSignal) => {
    const file = join(folder, 'compose.yaml');
    return timed(compose.binary, ['--progress', 'quiet', '-p', project, '-f', file, ...words], signal);
  };
  const discard = (signal?: AbortSignal) => call(['down', '--volumes', '--timeout', '0'], signal);
  undo.add(`take down ${project}`, () => discard());
  return {
    discard,
    change: write,
    up: (signal) => call(['up', '--wait'], signal),
    down: (signal) => call(['down', '--volumes'], signal),
  };
}

const patienceMs = 120_000;
const endPatienceMs = 15_000;

/** Runs a program to its end; throws with its last words when it fails. An abort ends it, and resolves after its end. */
export async function timed(program: string, words: string[], signal?: AbortSignal): Promise<number> {
  signal?.throwIfAborted();
  const until = AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(patienceMs)]);
  const begunAt = performance.now();
  // In a process group of its own: a Ctrl-C at the terminal is for the benchmark, which then ends this one.
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (said += text));
  let killing: NodeJS.Timeout | undefined;
  const end = () => {
    child.kill('SIGTERM');
    killing = setTimeout(() => child.kill('SIGKILL'), endPatienceMs);
  };
  until.addEventListener('abort', end, { once: true });
  try {
    const [code] = await once(child, 'exit');
    const ms = performance.now() - begunAt;
    until.throwIfAborted();
    if (code !== 0) throw new Error(`docker-compose ${words.join(' ')} failed:\n${lastLinesOf(said)}`);
    return ms;
  } finally {
    until.removeEventListener('abort', end);
    clearTimeout(killing);
  }
}
