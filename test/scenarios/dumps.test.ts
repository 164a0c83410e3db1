/** Databases in snapshots by their own tools, on the real engine. Needs root. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { provideMariadb } from '../images/mariadb/recipe.ts';
import { type Berth, createBerth, type Started, until } from './berth.ts';
import { claim } from './claimed.ts';

const run = promisify(execFile);
const needsRoot = { skip: process.getuid?.() === 0 ? false : 'file systems can be made by root alone' };
const onlyAsked = { BERTH_TIERS: 'free deployments=9 memory=9Gi snapshot-every=never' };

const pod = (name: string, lines: string) => `    - name: ${name}\n${lines}`;
const books = pod(
  'books',
  `      image: postgres:15
      servicePorts: [5432]
      vars: { POSTGRES_USER: owner, POSTGRES_PASSWORD: "it's", POSTGRES_DB: "my \\"books\\"" }
      volumes: [{ name: data, size: 256Mi, mountPath: /var/lib/postgresql/data }]
`,
);
const goods = pod(
  'goods',
  `      image: mariadb:10.11
      servicePorts: [3306]
      vars: { MARIADB_ROOT_PASSWORD: "it's", MARIADB_DATABASE: goods }
      volumes: [{ name: data, size: 512Mi, mountPath: /var/lib/mysql }]
`,
);
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
// Its log is written anew again and again.
const visits = pod(
  'visits',
  `      image: redis:7
      servicePorts: [6379]
      command: [redis-server, --appendonly, "yes", --save, "", --auto-aof-rewrite-min-size, 64kb, --auto-aof-rewrite-percentage, "20"]
      volumes: [{ name: data, size: 64Mi, mountPath: /data }]
`,
);
const web = pod('web', '      image: nginx:1\n      path: /\n      servicePorts: [80]\n');
const yaml = (...pods: string[]) => `application:\n  name: keeper\n  pods:\n${web}${pods.join('')}`;

const named = ({ applicationName, sessionToken }: Started) => ({ applicationName, sessionToken });

/** Runs a program in the container of a pod, which reads `input`. */
async function inPod(berth: Berth, app: Started, pod: string, argv: string[], input = ''): Promise<string> {
  const { id } = await berth.row(app);
  const docker = await connectDocker();
  const [found] = await docker.listContainers({ filters: { name: [`berth-${id}-${pod}`] } });
  const running = run('docker', ['exec', '-i', found!.Id, ...argv]);
  running.child.stdin!.end(input);
  return (await running).stdout.trim();
}

const askBooks = (berth: Berth, app: Started, sql: string, database = 'my "books"') =>
  inPod(berth, app, 'books', ['psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-U', 'owner', '-d', database], sql);
const askGoods = (berth: Berth, app: Started, sql: string) =>
  inPod(berth, app, 'goods', ['mariadb', '--user=root', "--password=it's", '-NB', 'goods'], sql);

const askCarts = (berth: Berth, app: Started, command: string) =>
  until('it answers', () =>
    inPod(berth, app, 'carts', ['sh', '-c', `REDISCLI_AUTH=$CARTS_PASSWORD exec redis-cli -e ${command}`]).catch(
      () => undefined,
    ),
  );

const askVisits = (berth: Berth, app: Started, ...command: string[]) =>
  until('it answers', () => inPod(berth, app, 'visits', ['redis-cli', '-e', ...command]).catch(() => undefined));

async function told(berth: Berth, app: Started) {
  return (await berth.get(`/getSnapshots?${new URLSearchParams(named(app))}`)).body;
}

async function ended(berth: Berth, app: Started, kind: 'snapshots' | 'restores', id: string) {
  return await until(`one of the ${kind} has ended`, async () => {
    const found = (await told(berth, app))[kind].find((each: { id: string }) => each.id === id);
    return ['taken', 'done', 'failed'].includes(found.state) || found.problem ? found : undefined;
  });
}

async function take(berth: Berth, app: Started) {
  const { status, body, text } = await berth.postJson('/createSnapshot', { ...named(app), dump: true });
  assert.equal(status, 200, text);
  return await ended(berth, app, 'snapshots', body.snapshot.id);
}

async function begin(t: { after: (end: () => Promise<void>) => void }, ...pods: string[]) {
  await provideMariadb(await connectDocker());
  const berth = await createBerth(onlyAsked);
  t.after(() => berth.destroy());
  await berth.serve();
  const app = await berth.start(yaml(...pods));
  await berth.reach(app, 'running');
  await claim(berth, app);
  return { berth, app };
}

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
    const asked = { ...named(app), snapshot: snapshot.id };
    const trial = await berth.postJson('/restoreSnapshot?dryRun=true', asked);
    assert.deepEqual(trial.body.volumes, ['carts-data', 'visits-data', 'books-data', 'goods-data'], trial.text);
    assert.deepEqual(trial.body.stopped, ['carts', 'visits']);
    const beside = await berth.postJson('/restoreSnapshot?dryRun=true', {
      ...asked,
      beside: true,
      volumes: ['books-data'],
    });
    assert.equal(beside.body.code, 'volume_not_found', beside.text);
    const { body } = await berth.postJson('/restoreSnapshot', asked);
    const restored = await ended(berth, app, 'restores', body.restore.id);
    assert.equal(restored.state, 'done', restored.problem);
    await areAsBefore(berth, app);
    const counted = Number(await askVisits(berth, app, 'GET', 'n'));
    assert.ok(counted >= answered, `${counted} of ${answered} that were answered before`);

    await spoil(berth, app);
    const again = await berth.postJson('/restoreSnapshot', asked);
    await until('a snapshot of what is there is being taken', async () => {
      const found = (await told(berth, app)).restores.find(({ id }: { id: string }) => id === again.body.restore.id);
      return found.before !== undefined || undefined;
    });
    await delay(Math.random() * 4_000);
    await berth.end('SIGKILL');
    await berth.serve();
    const next = await ended(berth, app, 'restores', again.body.restore.id);
    assert.equal(next.state, 'done', next.problem);
    await areAsBefore(berth, app);
    assert.ok(!berth.log().includes("it's"), 'a password is in the log');
    assert.deepEqual((await berth.inventory()).orphans, []);
  },
);

/** Whoever comments on a database has it to himself, and it gets no other name meanwhile. @returns Lets it go. */
async function hold(berth: Berth, app: Started): Promise<() => void> {
  const { id } = await berth.row(app);
  const [found] = await (await connectDocker()).listContainers({ filters: { name: [`berth-${id}-books`] } });
  const { child } = run('docker', ['exec', '-i', found!.Id, 'psql', '-XAtq', '-U', 'owner', '-d', 'template1']);
  child.stdin!.write(`BEGIN;\nCOMMENT ON DATABASE "my ""books""" IS 'held';\n`);
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
    const release = await hold(berth, app);
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

/** Its pg_dump is another program. */
const lying = (script: string) =>
  books.replace(
    '      volumes:',
    `      entrypoint: /bin/sh
      command: ["-c", "printf '#!/bin/sh\\\\n${script}\\\\n' >/usr/local/bin/pg_dump; chmod +x /usr/local/bin/pg_dump; exec docker-entrypoint.sh postgres"]
      volumes:`,
  );

test(
  'a tool that writes without an end, nothing at all, or fails, ends in words and leaves nothing',
  needsRoot,
  async (t) => {
    const { berth, app } = await begin(t, lying('exec yes'));
    const failed = async () => {
      const { problem } = await take(berth, app);
      const { snapshots } = await told(berth, app);
      for (const { id } of snapshots) await berth.postJson('/deleteSnapshot', { ...named(app), snapshot: id });
      return problem;
    };
    assert.match(await failed(), /^pg_dump wrote more than is allowed\.$/);
    await berth.update(app, yaml(lying('exit 0')));
    await berth.reach(app, 'running');
    assert.match(await failed(), /^What pg_dump has written is incomplete\.$/);
    await berth.update(app, yaml(lying('echo its own words >&2; exit 3')));
    await berth.reach(app, 'running');
    assert.match(await failed(), /^pg_dump ended with 3\. It said: its own words$/);
    assert.ok(!berth.log().includes('its own words'), 'they are in the log');
    await until('what was dumped is gone', async () => {
      const left = await readdir(join(berth.settings.dataDir, 'volume-copies'));
      return left.length === 0 || undefined;
    });
    const { id } = await berth.row(app);
    const [found] = await (await connectDocker()).listContainers({ filters: { name: [`berth-${id}-books`] } });
    const { stdout } = await run('docker', ['top', found!.Id]);
    assert.ok(!/\byes\b/.test(stdout), 'it runs on');
  },
);
