/** Databases in snapshots by their own tools, on the real engine. Needs root. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { inTier } from '../tier.ts';
import { type Berth, named, type Started, until } from './berth.ts';
import {
  askBooks,
  askGoods,
  begin,
  books,
  containerOf,
  goods,
  inPod,
  needsRoot,
  pod,
  reported,
  restoreEnded,
  run,
  take,
} from './kept-databases.ts';

// Nothing is in its volume before it saves.
const carts = pod(
  'carts',
  `      image: redis:7
      servicePorts: [6379]
      command: ["sh", "-c", "exec redis-server --save '' --requirepass \\"$CARTS_PASSWORD\\""]
      vars: { CARTS_PASSWORD: <% SECRET CARTS_PASSWORD %> }
      volumes: [{ name: data, size: 64Mi, mountPath: /data }]
`,
);
// Its log is rewritten repeatedly.
const visits = pod(
  'visits',
  `      image: redis:7
      servicePorts: [6379]
      command: [redis-server, --appendonly, "yes", --save, "", --auto-aof-rewrite-min-size, 64kb, --auto-aof-rewrite-percentage, "20"]
      volumes: [{ name: data, size: 64Mi, mountPath: /data }]
`,
);
const askCarts = (berth: Berth, app: Started, command: string) =>
  until('it answers', () =>
    inPod(berth, app, 'carts', ['sh', '-c', `REDISCLI_AUTH=$CARTS_PASSWORD exec redis-cli -e ${command}`]).catch(
      () => undefined,
    ),
  );

const askVisits = (berth: Berth, app: Started, ...command: string[]) =>
  until('it answers', () => inPod(berth, app, 'visits', ['redis-cli', '-e', ...command]).catch(() => undefined));

const fill = (berth: Berth, app: Started) =>
  Promise.all([
    askBooks(berth, app, `CREATE TABLE books (title text); INSERT INTO books VALUES ('kept by its tool'), ('two');`),
    askCarts(berth, app, 'SET cart "kept by its tool"'),
    askGoods(
      berth,
      app,
      `CREATE TABLE goods (name TEXT, picture BLOB); INSERT INTO goods VALUES ('tea', x'00ff0a'), ('kept by its tool', '');
       CREATE VIEW names AS SELECT name FROM goods; CREATE TRIGGER upper BEFORE INSERT ON goods FOR EACH ROW SET NEW.name = UPPER(NEW.name);`,
    ),
  ]);
const spoil = (berth: Berth, app: Started) =>
  Promise.all([
    askBooks(berth, app, `DELETE FROM books; CREATE TABLE later (n int);`),
    askCarts(berth, app, 'SET cart spoilt'),
    askGoods(berth, app, 'DROP TABLE goods; CREATE TABLE later (n INT);'),
  ]);

async function areAsBefore(berth: Berth, app: Started): Promise<void> {
  assert.equal(await askCarts(berth, app, 'GET cart'), 'kept by its tool');
  assert.equal(await askBooks(berth, app, 'SELECT title FROM books ORDER BY 1'), 'kept by its tool\ntwo');
  assert.equal(await askBooks(berth, app, "SELECT to_regclass('later') IS NULL"), 't');
  assert.equal(
    await askBooks(
      berth,
      app,
      'SELECT string_agg(datname, $$,$$ ORDER BY datname::text COLLATE "C") FROM pg_database',
      'postgres',
    ),
    'my "books",postgres,template0,template1',
  );
  assert.equal(await askGoods(berth, app, 'SELECT HEX(picture) FROM goods WHERE name = "tea"'), '00FF0A');
  assert.equal(await askGoods(berth, app, 'SHOW TABLES'), 'goods\nnames');
  assert.equal(
    await askGoods(berth, app, 'INSERT INTO goods VALUES ("milk", ""); SELECT name FROM names ORDER BY 1'),
    'kept by its tool\nMILK\ntea',
  );
}

test(
  'databases are dumped and loaded by their own tools while they run, also by the next service',
  needsRoot,
  async (t) => {
    const { berth, app } = await begin(t, books, goods, carts, visits);
    await fill(berth, app);
    // Also while the snapshot is taken.
    inPod(berth, app, 'visits', ['redis-cli', '-r', '300000', 'INCR', 'n']).catch(() => {});
    const answered = await until('visits are counted', async () => {
      const count = Number(await askVisits(berth, app, 'GET', 'n'));
      return count > 1000 ? count : undefined;
    });
    const snapshot = await take(berth, app);
    assert.equal(snapshot.state, 'taken', snapshot.problem);
    assert.deepEqual(
      snapshot.volumes.map(({ name }: { name: string }) => name),
      ['carts-data', 'visits-data'],
    );
    assert.deepEqual(
      snapshot.dumps.map(({ kind }: { kind: string }) => kind),
      ['postgres', 'mysql', 'redis', 'redis'],
    );
    assert.ok(snapshot.totalBytes < 1_000_000, `${snapshot.totalBytes} bytes are more than dumps`);
    const kept = join(berth.settings.dataDir, 'snapshots');
    for (const entry of await readdir(kept, { recursive: true, withFileTypes: true }))
      if (entry.isFile())
        assert.ok(!(await readFile(join(entry.parentPath, entry.name))).includes('kept by its tool'), 'in the clear');

    await spoil(berth, app);
    await askVisits(berth, app, 'SET', 'n', '-1000000');
    const requested = { ...named(app), snapshot: snapshot.id };
    const trial = await berth.postJson('/restoreSnapshot?dryRun=true', requested);
    assert.deepEqual(trial.body.volumes, ['carts-data', 'visits-data', 'books-data', 'goods-data'], trial.text);
    assert.deepEqual(trial.body.stopped, ['carts', 'visits']);
    const other = await berth.postJson('/restoreSnapshot?dryRun=true', {
      ...requested,
      beside: true,
      volumes: ['books-data'],
    });
    assert.equal(other.body.code, 'volume_not_found', other.text);
    const { body } = await berth.postJson('/restoreSnapshot', requested);
    const restored = await restoreEnded(berth, app, body.restore.id);
    assert.equal(restored.state, 'done', restored.problem);
    await areAsBefore(berth, app);
    const counted = Number(await askVisits(berth, app, 'GET', 'n'));
    assert.ok(counted >= answered, `${counted} of ${answered} that were answered before`);

    await spoil(berth, app);
    const again = await berth.postJson('/restoreSnapshot', requested);
    await until('a snapshot of what is there is being taken', async () => {
      const found = (await reported(berth, app)).restores.find(
        ({ id }: { id: string }) => id === again.body.restore.id,
      );
      return found.before !== undefined || undefined;
    });
    await delay(Math.random() * 4_000);
    await berth.end('SIGKILL');
    await berth.serve();
    const next = await restoreEnded(berth, app, again.body.restore.id);
    assert.equal(next.state, 'done', next.problem);
    await areAsBefore(berth, app);
    assert.ok(!berth.log().includes("it's"), 'a password is in the log');
    assert.deepEqual((await berth.inventory()).orphans, []);
  },
);

/** Its pg_dump is another program. */
const lying = (script: string) =>
  books.replace(
    '      volumes:',
    `      entrypoint: /bin/sh
      command: ["-c", "printf '#!/bin/sh\\\\n${script}\\\\n' >/usr/local/bin/pg_dump; chmod +x /usr/local/bin/pg_dump; exec docker-entrypoint.sh postgres"]
      volumes:`,
  );

/** The behavior of its pg_dump, and the resulting problem of the snapshot. */
const faults: [what: string, script: string, problem: RegExp][] = [
  ['fails', 'echo its own words >&2; exit 3', /^pg_dump ended with 3\. It said: its own words$/],
  ['writes without an end', 'exec yes', /^pg_dump wrote more than is allowed\.$/],
  ['writes nothing', 'exit 0', /^The output of pg_dump is incomplete\.$/],
];

for (const [what, script, words] of inTier(faults.slice(0, 1), faults.slice(1)))
  test(`a snapshot with a tool that ${what} says so and leaves nothing`, needsRoot, async (t) => {
    const { berth, app } = await begin(t, lying(script));
    const { problem } = await take(berth, app);
    assert.match(problem, words);
    assert.ok(!berth.log().includes('its own words'), 'they are in the log');
    await until('what was dumped is gone', async () => {
      const left = await readdir(join(berth.settings.dataDir, 'volume-copies'));
      return left.length === 0 || undefined;
    });
    const { stdout } = await run('docker', ['top', await containerOf(berth, app, 'books'), '-o', 'pid,comm']);
    assert.match(stdout, /\bpostgres$/m);
    assert.doesNotMatch(stdout, /\b(pg_dump|yes)$/m, 'it runs on');
  });
