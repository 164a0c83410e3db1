/**
 * `npm test`: brings what the machine lacks, then runs every test of the project with Node's own runner.
 * Words after `npm test --` choose files by a part of their path: `npm test -- guestbook src/config`.
 */
import { glob } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { SetUpError, setUp } from './setup/setup.ts';

const folders = ['src', 'scripts', 'test', 'web/src', 'web/build'];
// Tests share one engine, whose starts gain nothing from more than four at a time.
const mostAtOnce = 4;
// A test that hangs is a failure with a name, not a build that somebody has to stop.
const timeoutMs = 10 * 60 * 1000;

type Counts = { tests: number; passed: number; skipped: number; todo: number };

const root = join(import.meta.dirname, '..');
const files = await testFiles(process.argv.slice(2));
if (files.length === 0) fail('No test file matches.');
try {
  await setUp({ forTests: true });
} catch (error) {
  if (!(error instanceof SetUpError)) throw error;
  fail(error.message);
}
const { counts, success } = await runAll(files);
if (counts.tests === 0) fail('Not a single test ran.');
const failed = counts.tests - counts.passed - counts.skipped - counts.todo;
console.log(`${counts.passed} passed, ${failed} failed, ${counts.skipped + counts.todo} skipped`);
if (!success) process.exitCode = 1;

async function testFiles(chosen: readonly string[]): Promise<string[]> {
  const patterns = folders.map((folder) => `${folder}/**/*.test.ts`);
  const found = await Array.fromAsync(glob(patterns, { cwd: root }));
  const wanted = chosen.map((word) => relative(root, join(process.cwd(), word)));
  return found
    .filter((path) => chosen.length === 0 || [...chosen, ...wanted].some((part) => path.includes(part)))
    .sort();
}

function runAll(paths: readonly string[]): Promise<{ counts: Counts; success: boolean }> {
  const concurrency = Math.min(availableParallelism(), mostAtOnce);
  const events = run({ files: paths.map((path) => join(root, path)), cwd: root, concurrency, timeout: timeoutMs });
  const { promise, resolve, reject } = Promise.withResolvers<{ counts: Counts; success: boolean }>();
  // Each file has a summary, and the one without a file is the sum.
  let sum: { counts: Counts; success: boolean } | undefined;
  events.on('test:pass', ({ name, file }) => {
    // The runner reports a file without a single test as a test of the file's name, and passes it.
    if (name === file) fail(`${relative(root, name)} contains no test.`);
  });
  events.on('test:summary', ({ file, counts, success }) => {
    if (file === undefined) sum = { counts, success };
  });
  const report = events.compose(new spec());
  report
    .on('error', reject)
    .on('end', () => (sum ? resolve(sum) : reject(new Error('The tests ended without a sum.'))));
  report.pipe(process.stdout, { end: false });
  return promise;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
