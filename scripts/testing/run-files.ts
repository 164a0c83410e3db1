/** A process that runs one test file, or several together. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fact } from './facts.ts';
import { type FileReport, verdict } from './verdict.ts';

export type Run = {
  reports: FileReport[];
  /** Output of Node's own reporter and of the tests. */
  output: string;
};

export type RunOptions = {
  root: string;
  /** The time limit of one test, and of the silence between two. A process that exceeds it is ended and has failed. */
  timeoutMs: number;
  /** The program that is started for a file. Default: the file. */
  startOf?: (file: string) => string;
};

/**
 * The size of the young generation in megabytes, for tests that compute. Few objects survive, but Node's smaller
 * default copies them, which takes 6 to 8 % of the processor time of API tests (measured).
 */
const youngGeneration = ['--min-semi-space-size=16', '--max-semi-space-size=32'];

/** `files` are paths from `root`. Does not reject because of a test. */
export async function runFiles(
  files: readonly string[],
  { root, timeoutMs, startOf = (file) => file }: RunOptions,
): Promise<Run> {
  const startedMs = performance.now();
  const isAlone = files.length === 1;
  const together = isAlone ? [] : [join(import.meta.dirname, 'together.ts')];
  const child = spawn(
    process.execPath,
    [
      ...(isAlone ? [] : youngGeneration),
      ...['--import', join(import.meta.dirname, 'test-contexts.ts')],
      ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
      // The reporter writes elsewhere, but requires a destination.
      ...[`--test-reporter=${join(import.meta.dirname, 'facts.ts')}`, '--test-reporter-destination=stderr'],
      ...[`--test-timeout=${timeoutMs}`, ...together, ...files.map((file) => resolve(root, startOf(file)))],
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] },
  );
  const outputs = [child.stdout!, child.stderr!];
  const output: Buffer[] = [];
  for (const stream of outputs) stream.on('data', (chunk: Buffer) => output.push(chunk));
  const isRead = Promise.allSettled(outputs.map((stream) => finished(stream)));

  let hasHung = false;
  const end = () => {
    hasHung = true;
    child.kill('SIGKILL');
  };
  // Later than Node's own timeout, which ends one test and continues with the next.
  const patience = () => setTimeout(end, timeoutMs * 1.1);
  let timer = patience();
  const facts: Fact[] = [];
  const reported = createInterface({ input: child.stdio[3] as Readable });
  reported.on('line', (line) => {
    facts.push(JSON.parse(line) as Fact);
    clearTimeout(timer);
    timer = patience();
  });
  const [[code, signal]] = (await Promise.all([once(child, 'exit'), once(reported, 'close')])) as [
    [number, string],
    [],
  ];
  clearTimeout(timer);
  // Its leftover child processes may hold its outputs open. Its own output was read.
  await Promise.race([isRead, delay(1_000)]);
  for (const stream of outputs) stream.destroy();

  const tookMs = performance.now() - startedMs;
  const reports = verdict(files, facts, { tookMs, exit: signal ?? code, hasHung });
  return { reports, output: Buffer.concat(output).toString() };
}
