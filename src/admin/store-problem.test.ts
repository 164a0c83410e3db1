import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { openSqlite } from '../store/database.ts';
import { StoreFault } from '../store/store-fault.ts';
import { storeProblem } from './store-problem.ts';

test('a command that another program keeps from writing says so in a sentence', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'berth.db');
  await (await openSqlite(file)).destroy();
  const other = new DatabaseSync(file);
  other.exec('begin immediate');
  const env = { PATH: process.env.PATH, BERTH_DATA_DIR: folder };
  const words = ['src/cli/bin.mjs', 'admin', 'ban', 'image', 'a/b', 'mines'];
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [[status], stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  other.exec('rollback');
  other.close();
  const reported = `The database in ${folder} is busy: another program writes to it. The last step was not done: try again.\n`;
  assert.deepEqual([status, stderr], [2, reported]);
});

test('a database failure is reported with whether the statement may have taken effect; our own faults are not attributed to it', () => {
  const fault = (wasDone: 'no' | 'unknown') =>
    storeProblem(new StoreFault('it has gone', { wasDone, isBrief: false, code: undefined }), 'here');
  assert.equal(
    fault('no'),
    'The database in here could not be queried: it has gone. The last step was not done: try again.',
  );
  assert.match(fault('unknown')!, /The last step may have been done: look before you try again\.$/);
  const ofSqlite = Object.assign(new Error('attempt to write a readonly database'), { errcode: 8 + 256 });
  assert.match(storeProblem(ofSqlite, 'here')!, /run this as the user of the service/);
  assert.equal(storeProblem(new TypeError('x is undefined'), 'here'), undefined);
});
