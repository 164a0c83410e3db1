/** Restores in databases that a killed service has begun, and their results. Needs root. */
import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Berth, named, type Started, until } from './berth.ts';
import { askBooks, askGoods, begin, books, containerOf, ended, goods, needsRoot, run, take } from './kept-databases.ts';

/** @returns Ends the session. */
async function holdBy(sql: string, berth: Berth, app: Started, pod: string, argv: string[]): Promise<() => void> {
  const { child } = run('docker', ['exec', '-i', await containerOf(berth, app, pod), ...argv]);
  child.stdin!.write(sql);
  return () => void child.stdin!.end();
}

test(
  'a service that is killed while databases change their names leaves them open, though none can go on',
  needsRoot,
  async (t) => {
    const { berth, app } = await begin(t, books);
    await askBooks(berth, app, `CREATE TABLE books (title text); INSERT INTO books VALUES ('kept by its tool')`);
    const { id: snapshot } = await take(berth, app);
    await askBooks(berth, app, 'CREATE TABLE later (n int)');
    // A session that comments on a database locks it, and it cannot be renamed in the meantime.
    const comment = `BEGIN;\nCOMMENT ON DATABASE "my ""books""" IS 'held';\n`;
    const release = await holdBy(comment, berth, app, 'books', ['psql', '-XAtq', '-U', 'owner', '-d', 'template1']);
    const { body } = await berth.postJson('/restoreSnapshot', { ...named(app), snapshot });
    const waiting = `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'ALTER DATABASE%RENAME%'`;
    await until('it waits to change the names', async () =>
      (await askBooks(berth, app, waiting, 'postgres')) === '1' ? true : undefined,
    );
    await berth.end('SIGKILL');
    const place = join(berth.settings.dataDir, 'snapshots');
    await rename(place, `${place}-away`);
    await berth.serve();
    const { problem } = await ended(berth, app, 'restores', body.restore.id);
    assert.match(problem, /^The place where snapshots are kept cannot be used now/);
    release();
    assert.equal(await askBooks(berth, app, "SELECT to_regclass('later') IS NOT NULL"), 't');
  },
);

test(
  'a load into a MySQL that is killed, and killed again, undoes nothing of the one that comes after it',
  needsRoot,
  async (t) => {
    const { berth, app } = await begin(t, goods);
    await askGoods(
      berth,
      app,
      "CREATE TABLE goods (name TEXT); INSERT INTO goods VALUES ('tea'); CREATE DATABASE zoo; CREATE TABLE zoo.animals AS SELECT * FROM goods;",
    );
    const all = () => askGoods(berth, app, 'SHOW TABLES; SELECT name FROM goods; SELECT name FROM zoo.animals');
    const before = await all();
    const { id: snapshot } = await take(berth, app);
    await askGoods(berth, app, 'DELETE FROM goods; DELETE FROM zoo.animals; CREATE TABLE later (n INT)');
    // The second database cannot be dropped while a session reads it.
    const argv = ['mariadb', '--user=root', "--password=it's", 'zoo'];
    const release = await holdBy('LOCK TABLES animals READ;\n', berth, app, 'goods', argv);
    const { body } = await berth.postJson('/restoreSnapshot', { ...named(app), snapshot });
    const seen = new Set<string>();
    for (const _ of ['killed', 'killed again']) {
      const session = await until('a load that is new waits in its middle', async () => {
        const waiting = `SELECT id FROM information_schema.processlist WHERE state LIKE 'Waiting for%lock'`;
        const ids = (await askGoods(berth, app, waiting).catch(() => '')).split('\n');
        return ids.find((id) => id !== '' && !seen.has(id));
      });
      seen.add(session);
      await berth.end('SIGKILL');
      await berth.serve();
    }
    release();
    const { state, problem } = await ended(berth, app, 'restores', body.restore.id);
    assert.equal(state, 'done', problem);
    assert.equal(await all(), before);
    assert.deepEqual((await berth.inventory()).orphans, []);
  },
);
