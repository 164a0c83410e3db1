/**
 * `npm run scenarios`: the scenarios on SQLite and Docker, on PostgreSQL and Docker, and on PostgreSQL and Kubernetes
 * (the kit next to the project), one after another, and the results as one table. Words select: the names below select
 * the stores and engines, other words select files: `npm run scenarios -- postgresql+kubernetes scenarios/updates`.
 * Earlier results of other files stay in the table. `--table` runs nothing and prints the table.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { engineTests, filesOfDocker } from './testing/engine-tests.ts';
import { type Column, type RunReport, scenarioTable } from './testing/scenario-table.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'node_modules/.cache/berth-tests/scenarios');
const all = 'test/scenarios/';

const places = {
  'sqlite+docker': { title: 'SQLite + Docker', script: 'scripts/test.ts', env: {} },
  'postgresql+docker': { title: 'PostgreSQL + Docker', script: 'scripts/test.ts', env: { TEST_STORE: 'postgresql' } },
  'postgresql+kubernetes': {
    title: 'PostgreSQL + Kubernetes',
    script: 'scripts/testing/kube.ts',
    env: { TEST_STORE: 'postgresql', TEST_ENGINE: 'kubernetes' },
  },
} as const;

type Place = keyof typeof places;

const words = process.argv.slice(2).filter((word) => word !== '--table');
const isPlace = (word: string): word is Place => word in places;
const chosen = words.filter(isPlace);
const files = words.filter((word) => !isPlace(word));
const allPlaces = Object.keys(places).filter(isPlace);
if (!process.argv.includes('--table'))
  for (const place of chosen.length > 0 ? chosen : allPlaces) await run(place, files.length > 0 ? files : [all]);
const columns = await Promise.all(allPlaces.map(columnOf));
console.log(scenarioTable(columns));
if (columns.some(({ reports }) => reports.some(({ failures }) => failures.length > 0))) process.exitCode = 1;

async function run(place: Place, files: readonly string[]): Promise<void> {
  const { script, env } = places[place];
  await mkdir(folder, { recursive: true });
  const report = `${pathOf(place)}.new`;
  await rm(report, { force: true });
  const child = spawn(process.execPath, [script, ...files], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env, TEST_REPORT: report },
  });
  await once(child, 'exit');
  const found = await read(report);
  if (!found) {
    // The run has printed the reason itself.
    process.exitCode = 1;
    return;
  }
  const before = await read(pathOf(place));
  const seen = new Set(found.reports.map(({ file }) => file));
  const others = (before?.reports ?? []).filter(({ file }) => !seen.has(file));
  const kept: RunReport = { reports: [...others, ...found.reports] };
  await writeFile(pathOf(place), JSON.stringify(kept));
  await rm(report);
}

async function columnOf(place: Place): Promise<Column> {
  const { title, env } = places[place];
  const known = await read(pathOf(place));
  return { title, reports: known?.reports ?? [], leftOut: engineTests(filesOfDocker, env).leftOut };
}

function pathOf(place: Place): string {
  return join(folder, `${place}.json`);
}

async function read(file: string): Promise<RunReport | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as RunReport);
}
