import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { wait } from '../lib/wait.ts';
import { openSqlite } from './database.ts';

const times = 150;
const [databaseModule, waitModule] = ['./database.ts', '../lib/wait.ts'].map(
  (name) => new URL(name, import.meta.url).href,
);

/**
 * Reads a number and writes the next one, in separate transactions. Pauses for as long as each transaction takes:
 * SQLite has no queue, and on a slow disk, a process without pauses could make the other one time out.
 */
const count = `
  const { openSqlite } = await import('${databaseModule}');
  const { wait } = await import('${waitModule}');
  const db = await openSqlite(process.argv[1]);
  for (let time = 0; time < ${times}; time++) {
    const at = performance.now();
    await db.transaction().execute(async (db) => {
      const { createdAt } = await db.selectFrom('installation').select('createdAt').executeTakeFirstOrThrow();
      await db.updateTable('installation').set({ createdAt: createdAt + 1 }).execute();
    });
    await wait(performance.now() - at);
  }
  await db.destroy();
`;

test('read-write transactions of two processes lose nothing and refuse none, in files for their user only', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-store-'));
  const file = join(folder, 'berth.db');
  const db = await openSqlite(file);
  await db.insertInto('installation').values({ id: 'i', createdAt: 0, keyId: null }).execute();
  const run = promisify(execFile);
  await Promise.all([1, 2].map(() => run(process.execPath, ['--input-type=module', '-e', count, file])));
  const { createdAt } = await db.selectFrom('installation').select('createdAt').executeTakeFirstOrThrow();
  assert.equal(createdAt, 2 * times);
  for (const name of ['', '-wal', '-shm']) assert.equal((await stat(file + name)).mode & 0o777, 0o600, name);
  await db.destroy();
  await rm(folder, { recursive: true });
});

test('opening the database waits for another process that has it exclusively', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-store-'));
  const file = join(folder, 'berth.db');
  const alone = new DatabaseSync(file);
  alone.exec('begin exclusive');
  const open = `
    const { openSqlite } = await import('${databaseModule}');
    process.stdout.write('opening');
    await (await openSqlite(process.argv[1])).destroy();
  `;
  const opening = spawn(process.execPath, ['--input-type=module', '-e', open, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(opening, 'exit');
  await once(opening.stdout, 'data');
  // A process that does not wait has ended.
  await Promise.race([ended, wait(300)]);
  alone.exec('commit');
  alone.close();
  assert.deepEqual(await ended, [0, null]);
  await rm(folder, { recursive: true });
});

test('processes that start at once on an empty database make its tables once, and both go on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-store-'));
  const file = join(folder, 'berth.db');
  const open = `
    const { openSqlite } = await import('${databaseModule}');
    process.stdout.write('ready');
    for await (const _ of process.stdin);
    await (await openSqlite(process.argv[1])).destroy();
  `;
  const openings = [1, 2].map(() =>
    spawn(process.execPath, ['--input-type=module', '-e', open, file], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  const ended = openings.map((opening) => once(opening, 'exit'));
  await Promise.all(openings.map(({ stdout }) => once(stdout, 'data')));
  for (const { stdin } of openings) stdin.end();
  assert.deepEqual(await Promise.all(ended), [
    [0, null],
    [0, null],
  ]);
  await rm(folder, { recursive: true });
});

test('opening an up-to-date database does not wait for writers', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-store-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'berth.db');
  await (await openSqlite(file)).destroy();
  const writer = new DatabaseSync(file);
  // While this process has the write lock, another writer in it would wait in vain.
  writer.exec('begin immediate');
  const db = await openSqlite(file);
  assert.equal((await db.selectFrom('deployments').selectAll().execute()).length, 0);
  writer.exec('rollback');
  writer.close();
  await db.destroy();
});
