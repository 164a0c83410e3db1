import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { openSqlite } from './database.ts';

const times = 150;

/** Reads a number and writes the next one, in a transaction each time. */
const count = `
  const { openSqlite } = await import('${new URL('./database.ts', import.meta.url).href}');
  const db = await openSqlite(process.argv[1]);
  for (let time = 0; time < ${times}; time++) {
    await db.transaction().execute(async (db) => {
      const { createdAt } = await db.selectFrom('installation').select('createdAt').executeTakeFirstOrThrow();
      await db.updateTable('installation').set({ createdAt: createdAt + 1 }).execute();
    });
  }
  await db.destroy();
`;

test('transactions of two processes that read and then write lose nothing and refuse nobody, in files for their user alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-store-'));
  const file = join(folder, 'berth.db');
  const db = await openSqlite(file);
  await db.insertInto('installation').values({ id: 'i', createdAt: 0 }).execute();
  const run = promisify(execFile);
  await Promise.all([1, 2].map(() => run(process.execPath, ['--input-type=module', '-e', count, file])));
  const { createdAt } = await db.selectFrom('installation').select('createdAt').executeTakeFirstOrThrow();
  assert.equal(createdAt, 2 * times);
  for (const name of ['', '-wal', '-shm']) assert.equal((await stat(file + name)).mode & 0o777, 0o600, name);
  await db.destroy();
  await rm(folder, { recursive: true });
});
