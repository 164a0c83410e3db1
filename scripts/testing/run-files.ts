/** One process that runs one test file, or several together. */
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
  /** For one test, and for the silence between two: what hangs for longer is ended, and has failed. */
  timeoutMs: number;
  /** The program that is started for a file. Default: the file. */
  startOf?: (file: string) => string;
};

/**
 * Room for new objects, in megabytes, where many tests compute: little of what one makes outlives it, and Node's own,
 * smaller room has it copied all the same, which is 6 to 8 % of what tests of the API compute (measured).
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
      // It writes elsewhere, and has to be given a destination all the same.
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
  // Later than Node itself, which ends the one test and goes on with the next.
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
  // Child processes that it left behind may hold its outputs open. Its own output has been read.
  await Promise.race([isRead, delay(1_000)]);
  for (const stream of outputs) stream.destroy();

  const tookMs = performance.now() - startedMs;
  const reports = verdict(files, facts, { tookMs, exit: signal ?? code, hasHung });
  return { reports, output: Buffer.concat(output).toString() };
}
