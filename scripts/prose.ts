/**
 * `npm run prose`: counts the patterns that the style guide avoids, by area. `--list [PART_OF_A_PATH…]` prints each with
 * its line and a suggestion. `--check` (a part of `npm run lint`) fails if a count is above the recorded one, or if the
 * subject of a commit since the recorded commit is too long. `--record` lowers the recorded counts to the current ones.
 *
 * Prose linters of the npm registry (write-good, alex, retext, textlint) have rules for weasel words and inclusive
 * language. None of them reads comments and strings of TypeScript, and none has these patterns.
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findIn, longestSubject, patterns } from './prose/patterns.ts';
import { type Area, readProse } from './prose/read-prose.ts';

type Counts = Record<Area, Record<string, number>>;
type Recorded = { since: string; counts: Counts };
type Located = { area: Area; pattern: string; path: string; line: number; found: string };

const root = join(import.meta.dirname, '..');
const recordFile = join(import.meta.dirname, 'prose/recorded.json');
const sources = ['*.md', 'docs/**/*.md', '{src,web/src,scripts,bench,test}/**/*.{ts,tsx}'];
const left =
  /^(scripts\/prose|docs\/contributing\/style|src\/client\/service-types|test\/(corpus|golden))|node_modules|CHANGELOG/;

const { values, positionals } = parseArgs({
  options: { list: { type: 'boolean' }, check: { type: 'boolean' }, record: { type: 'boolean' } },
  allowPositionals: true,
});
const found = locate();
const counts = countsOf(found);
const recorded = JSON.parse(readFileSync(recordFile, 'utf8')) as Recorded;
if (values.list) for (const each of found.filter(isChosen)) console.log(lineOf(each));
else if (values.record) record();
else if (values.check) check();
else printTable();

function locate(): Located[] {
  const paths = globSync(sources, { cwd: root }).filter((path) => !left.test(path));
  return paths.sort().flatMap((path) => {
    const source = readFileSync(join(root, path), 'utf8');
    return readProse(path, source).flatMap(({ area, text, offset }) =>
      findIn(text).map((finding) => {
        const line = source.slice(0, offset + finding.offset).split('\n').length;
        return { area, pattern: finding.pattern, path, line, found: finding.found };
      }),
    );
  });
}

function countsOf(all: readonly Located[]): Counts {
  const counts: Counts = { docs: {}, messages: {}, comments: {}, tests: {} };
  for (const area of Object.values(counts)) for (const { name } of patterns) area[name] = 0;
  for (const { area, pattern } of all) counts[area][pattern]!++;
  return counts;
}

function isChosen({ path, area }: Located): boolean {
  return positionals.length === 0 || positionals.some((word) => path.includes(word) || area === word);
}

function lineOf({ path, line, found, pattern }: Located): string {
  return `${path}:${line}: "${found}": ${patterns.find(({ name }) => name === pattern)!.suggestion}`;
}

function check(): void {
  const risen = Object.entries(counts).flatMap(([area, byPattern]) =>
    Object.entries(byPattern)
      .filter(([pattern, count]) => count > (recorded.counts[area as Area][pattern] ?? 0))
      .map(([pattern]) => ({ area, pattern })),
  );
  for (const { area, pattern } of risen) {
    console.error(
      `${area}: "${pattern}" rose from ${recorded.counts[area as Area][pattern] ?? 0} to ${counts[area as Area][pattern]}. All of them:`,
    );
    for (const each of found) if (each.area === area && each.pattern === pattern) console.error(`  ${lineOf(each)}`);
  }
  const long = subjects().filter((subject) => subject.length > longestSubject);
  for (const subject of long) console.error(`A commit subject has more than ${longestSubject} characters: ${subject}`);
  if (risen.length + long.length > 0) process.exitCode = 1;
}

/** Returns the subjects of the commits since the recorded one. Returns none in a copy without history. */
function subjects(): string[] {
  try {
    const output = execFileSync('git', ['log', '--format=%s', '--no-merges', `${recorded.since}..HEAD`], {
      cwd: root,
      stdio: 'pipe',
    });
    return output.toString().split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

function record(): void {
  for (const [area, byPattern] of Object.entries(counts))
    for (const [pattern, count] of Object.entries(byPattern))
      recorded.counts[area as Area][pattern] = Math.min(count, recorded.counts[area as Area][pattern] ?? count);
  writeFileSync(recordFile, `${JSON.stringify(recorded, undefined, 2)}\n`);
}

function printTable(): void {
  const areas = Object.keys(counts) as Area[];
  console.table(
    Object.fromEntries([
      ...patterns.map(({ name }) => [name, Object.fromEntries(areas.map((area) => [area, counts[area][name]]))]),
      [
        'all',
        Object.fromEntries(
          areas.map((area) => [area, Object.values(counts[area]).reduce((sum, count) => sum + count, 0)]),
        ),
      ],
    ]),
  );
}
