/**
 * `npm test`: sets up the machine and runs the tests with Node's own runner. `npm run test:unit` runs the files that
 * start no other process, without a set-up. `npm run test:changed` runs the files that your changes since `main` affect
 * (`-- --since REF` for another base). `npm run test:nightly` runs the long files and cases that `npm test` leaves out.
 * Words choose files of every tier by a part of their path: `npm test -- guestbook src/config`. `TEST_TIER=usual`
 * leaves out the nightly cases of such files. `TEST_REPORT` names a file for the results as JSON. `TEST_RECORD` names
 * the file that counts unsteady test files.
 */
import { execFile } from 'node:child_process';
import { glob, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { SetUpError, setUp } from './setup/setup.ts';
import { againAlone, closingLines } from './testing/again.ts';
import { changedFiles } from './testing/changed-files.ts';
import { affectedFiles, chooseFiles, type Tier } from './testing/choose-files.ts';
import { clusterTests } from './testing/cluster-tests.ts';
import { type Company, findCompany } from './testing/company.ts';
import { engineTests } from './testing/engine-tests.ts';
import { importReader } from './testing/imports.ts';
import { madeFile } from './testing/made-file.ts';
import { atPace, paceOfMachine } from './testing/pace.ts';
import { processorMs } from './testing/processor-use.ts';
import { runFiles } from './testing/run-files.ts';
import type { RunReport } from './testing/scenario-table.ts';
import { recordUnsteady } from './testing/unsteady-record.ts';
import type { FileReport } from './testing/verdict.ts';

const folders = ['src', 'scripts', 'test', 'web/src', 'web/build'];
/** A test that hangs fails with its name. The longest takes two minutes, and 13 on a machine with ten times its load. */
const timeoutMs = 15 * 60 * 1000;
const slowestShown = 10;

const root = join(import.meta.dirname, '..');
const programs = join(import.meta.dirname, 'testing/programs.ts');
/** Up to this number, test files are loaded from their sources, so that failures show source lines. */
const fewFiles = 20;
const cache = join(root, 'node_modules/.cache/berth-tests');
const { tier, since, words } = readArguments();
const ofEngine = engineTests(await testFiles(), process.env);
const { files, last, leftOut } = clusterTests(ofEngine.files, process.env);
for (const { file, reason } of ofEngine.leftOut) console.log(`Left out on Kubernetes: ${file}: ${reason}.`);
if (leftOut !== undefined && tier !== 'unit') console.log(leftOut);
if (files.length + last.length === 0) fail('No test file matches.');
const company = findCompany(root, files, availableParallelism());
if (tier === 'unit') company.alone = [];
try {
  if (tier !== 'unit') await setUp({ forTests: true });
} catch (error) {
  if (!(error instanceof SetUpError)) throw error;
  fail(error.message);
}
const startedMs = performance.now();
// Node is started some 500 times, so compiled code is cached.
process.env.NODE_COMPILE_CACHE ??= join(cache, 'compiled');
const made = join(cache, 'programs');
process.env.TEST_PROGRAMS = made;
// Files that are named run all of their cases.
if (words.length === 0) process.env.TEST_TIER ??= tier === 'nightly' ? 'nightly' : 'usual';
const first = await runAll(company, last);
const { reports, unsteady, unsteadyFiles } = await againAlone(
  first,
  async (file) => await runAll({ alone: [file], together: [] }),
);
const record = process.env.TEST_RECORD ?? join(cache, 'unsteady.json');
for (const file of await recordUnsteady(record, unsteadyFiles)) {
  const failure = `passed only alone for the third time; fix it, then remove its line from ${record}`;
  reports.find((report) => report.file === file)?.failures.push(failure);
}
printSlowest(reports, performance.now() - startedMs);
console.log(`\n${closingLines(reports, unsteady).join('\n')}`);
if (reports.some(({ failures }) => failures.length > 0)) process.exitCode = 1;
const reportFile = process.env.TEST_REPORT;
if (reportFile) await writeFile(reportFile, JSON.stringify({ reports } satisfies RunReport));

function readArguments(): { tier: Tier; since: string | undefined; words: string[] } {
  const options = { tier: { type: 'string', default: 'usual' }, since: { type: 'string' } } as const;
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const isTier = (word: string): word is Tier => ['unit', 'usual', 'nightly'].includes(word);
    if (isTier(values.tier)) return { tier: values.tier, since: values.since, words: positionals };
  } catch {
    // An unknown option, --help among them.
  }
  fail('Usage: npm test -- [--tier unit|usual|nightly] [--since GIT_REF] [PART_OF_A_PATH...]');
}

async function testFiles(): Promise<string[]> {
  const patterns = folders.map((folder) => `${folder}/**/*.test.ts`);
  const found = (await Array.fromAsync(glob(patterns, { cwd: root }))).sort();
  const places = words.map((word) => relative(root, join(process.cwd(), word)));
  const chosen = chooseFiles(found, [...words, ...places.filter((place) => place !== '')], tier, importReader(root));
  if (since === undefined) return chosen;
  const changed = await changedFiles(root, since);
  const affected = affectedFiles(chosen, changed, importReader(root));
  console.log(
    `${changed.length} files changed since ${since}; they affect ${affected.length} of ${chosen.length} test files.`,
  );
  return affected;
}

/** The output of each process is printed when it has ended, so that the lines of different processes do not mix. */
async function runAll({ alone, together }: Company, last: readonly string[] = []): Promise<FileReport[]> {
  const asPrograms = alone.length > fewFiles ? alone : [];
  await promisify(execFile)(process.execPath, [programs, root, made, ...asPrograms]);
  const startOf = (file: string) => (asPrograms.includes(file) ? madeFile(made, file) : file);
  const runOf = (group: readonly string[]) => async () => {
    const { reports, output } = await runFiles(group, { root, timeoutMs, startOf });
    console.log(`${group.length > 1 ? `${group.length} files in one process` : group[0]}\n${output}`);
    return reports;
  };
  const reports = (await atPace([...together, ...alone.map((file) => [file])].map(runOf), paceOfMachine)).flat();
  for (const file of last) reports.push(...(await runOf([file])()));
  return reports;
}

function printSlowest(reports: FileReport[], tookMs: number): void {
  const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`.padStart(8);
  const slowest = reports.toSorted((a, b) => b.tookMs - a.tookMs).slice(0, slowestShown);
  const computed = reports.toSorted((a, b) => b.processorMs - a.processorMs).slice(0, slowestShown);
  const lines = [
    'The slowest files:',
    ...slowest.map(({ file, tookMs }) => `${seconds(tookMs)} ${file}`),
    `${seconds(tookMs)} for all ${reports.length}`,
    'The files that use the most processor time, with the programs that they start:',
    ...computed.map(({ file, processorMs }) => `${seconds(processorMs)} ${file}`),
    `${seconds(processorMs())} of a processor for all, without engines and containers`,
  ];
  console.log(lines.join('\n'));
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
