/** Whoever meets the schema of an earlier release, and may not change it, says so in a sentence. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { openSqlite } from '../../src/store/database.ts';
import { generationOf } from '../../src/store/migrations/generations.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { programFile } from '../program.ts';
import { databaseFile, earlierDatabase } from '../support/earlier-database.ts';

const names = Object.keys(migrations);
const generation = generationOf(names);
const lastOfBefore = names.findLast((_, index) => generationOf(names.slice(0, index + 1)) < generation)!;

const irreversible = new RegExp(
  `^This release needs another schema of the database \\(generation ${generation}, and it is ${generation - 1}\\)\\. The change cannot be undone: .*\n` +
    `.*(?:backup|copy).* Then start this one with BERTH_CHANGE_SCHEMA=${generation}\\.\n$`,
);
const onlyServices =
  /^The database has the schema of an earlier release, and only a service that starts changes it\. .*\n$/;

const programs: [words: string[], status: number, told: RegExp][] = [
  [[programFile('src/main.ts')], 1, irreversible],
  [['scripts/start.ts'], 1, irreversible],
  [[programFile('scripts/down.ts'), '--yes'], 1, onlyServices],
  [['scripts/orphans.ts'], 1, onlyServices],
  [['src/cli/bin.mjs', 'admin', 'deployments'], 2, onlyServices],
  [['src/cli/bin.mjs', 'admin', 'ban', 'image', 'a/b', 'mines'], 2, onlyServices],
  [['src/cli/bin.mjs', 'admin', 'backup'], 2, onlyServices],
  [['src/cli/bin.mjs', 'admin', 'migrate-store', '--to', 'other.db'], 2, onlyServices],
];

const newer =
  /^The database was written by a newer release of Berth \(9999-generation-9999-later\), and this one cannot use it: use that one, or restore a backup from before\.\n$/;

async function refuses(file: string, [words, status, told]: (typeof programs)[number], settings = {}): Promise<void> {
  const before = await readFile(file);
  const env = {
    PATH: process.env.PATH,
    BERTH_DATA_DIR: dirname(file),
    BERTH_ENGINE: 'memory',
    BERTH_EXAMPLE: 'none',
    ...settings,
  };
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], , stderr] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  assert.match(stderr, told, words.join(' '));
  assert.equal(code, status, words.join(' '));
  assert.deepEqual(await readFile(file), before, words.join(' '));
}

test('service and commands of an older release refuse the schema of a newer generation in a sentence', async (t) => {
  const file = databaseFile(t);
  const db = await openSqlite(file);
  await db
    .insertInto('kysely_migration' as never)
    .values({ name: '9999-generation-9999-later', timestamp: '2026-01-01T00:00:00.000Z' } as never)
    .execute();
  await db.destroy();
  for (const [words, status] of programs) await refuses(file, [words, status, newer], { BERTH_CHANGE_SCHEMA: '9999' });
});

test('service and commands leave the schema of an earlier release as it is, and say what to do', async (t) => {
  const file = databaseFile(t);
  await (await earlierDatabase(lastOfBefore, file)).db.destroy();
  for (const program of programs) await refuses(file, program);
});
