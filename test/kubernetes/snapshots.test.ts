/**
 * Snapshots of a deployment on a cluster, with restic, and a service that is killed meanwhile: first where the cluster
 * knows of no VolumeSnapshots, then by those of a stand-in.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { type Cluster, connectCluster } from '../../src/engine/kubernetes/cluster.ts';
import { namespaceName } from '../../src/engine/kubernetes/names.ts';
import { newId } from '../../src/lib/ids.ts';
import { buildImage } from '../contract/image.ts';
import { provideDebian } from '../images/debian.ts';
import { provideMariadb } from '../images/mariadb/recipe.ts';
import { type Berth, createBerth, type Started, until } from '../scenarios/berth.ts';
import { claim } from '../scenarios/claimed.ts';
import { copiesIn } from './copies-in.ts';
import { edgeNetworks, importImages } from './node.ts';
import { shellYaml } from './shell-application.ts';
import { openSnapshotStandIn, type SnapshotStandIn } from './snapshot-stand-in.ts';

const blobBytes = 8 * 2 ** 20;
const modes = '1234:567 2750\n1234:567 4711\nown/file';

let folder: string;
let berth: Berth;
let cluster: Cluster;
let standIn: SnapshotStandIn;
let app: Started;
let image: string;
let mariadb: string;
let first: string;
/** The starts that it has; another one comes after each copy, and after a try that is begun anew. */
let startsKept: number;

/**
 * Each start writes to both volumes, which have the same numbers while it runs; the first one writes what is large, and
 * what has an owner and a mode of its own.
 */
const keeperScript = `echo started >>/data/starts; echo started >>/more/starts
[ -f /data/blob ] || { head -c ${blobBytes} /dev/urandom >/data/blob; mkdir /more/own; chmod 2750 /more/own
  echo hers >/more/own/file; ln -s own/file /more/link; chown -R 1234:567 /more/own; chmod 4711 /more/own/file; }
stat -c '%u:%g %a' /more/own /more/own/file >/data/modes; readlink /more/link >>/data/modes
md5sum /data/blob >/data/sum
ln -sfn /more /data/more
n=$(cat /more/number || echo 0)
while :; do n=$((n+1)); echo $n >/data/number.new; mv /data/number.new /data/number; echo $n >/more/number.new; mv /more/number.new /more/number; sleep 0.05; done &
exec busybox httpd -f -p 8080 -h /data`;

const yaml = (image: string) =>
  shellYaml('keeper', image, keeperScript, [
    '{ name: data, size: 64Mi, mountPath: /data }',
    '{ name: more, size: 16Mi, mountPath: /more }',
  ]);

/** As the set-up builds them. */
const [postgres, redis] = ['postgres:15', 'redis:7'];

const library = (image: string) => `application:
  name: library
  pods:
    - { name: web, image: "${image}", path: /, servicePorts: [8080] }
    - name: books
      image: ${postgres}
      servicePorts: [5432]
      vars: { POSTGRES_PASSWORD: "it's", POSTGRES_DB: books }
      volumes: [{ name: data, size: 256Mi, mountPath: /var/lib/postgresql/data }]
`;

/** Nothing is in the volume of the Redis before it saves. */
const market = (image: string, mariadb: string) => `application:
  name: market
  pods:
    - { name: web, image: "${image}", path: /, servicePorts: [8080] }
    - name: goods
      image: ${mariadb}
      servicePorts: [3306]
      vars: { MARIADB_ROOT_PASSWORD: "it's", MARIADB_DATABASE: goods }
      volumes: [{ name: data, size: 512Mi, mountPath: /var/lib/mysql }]
    - name: carts
      image: ${redis}
      servicePorts: [6379]
      command: [sh, -c, exec redis-server --save '' --requirepass "$CARTS_PASSWORD"]
      vars: { CARTS_PASSWORD: <% SECRET CARTS_PASSWORD %> }
      volumes: [{ name: data, size: 64Mi, mountPath: /data }]
`;

before(async () => {
  const [docker, connected] = [await connectDocker(), await connectCluster()];
  cluster = connected;
  image = await buildImage(docker, { name: 'contract' });
  const copier = await provideDebian(docker);
  mariadb = await provideMariadb(docker);
  await importImages(docker, [image, copier, postgres, redis, mariadb]);
  folder = await mkdtemp(join(tmpdir(), 'berth-copied-'));
  standIn = await openSnapshotStandIn(cluster, `snapshots-${newId(randomBytes)}`, edgeNetworks[0]!.split('/')[0]!);
  const own = {
    BERTH_STORAGE_CLASS: standIn.storageClass,
    BERTH_SNAPSHOTS: folder,
    BERTH_PROBE_IMAGE: copier,
    BERTH_LOCAL_IMAGES: `berth-test-*,${[copier, postgres, redis, mariadb].join()}`,
    BERTH_TIERS: 'free deployments=9 memory=9Gi snapshot-every=never',
    BERTH_STRANGERS: 'session=1000 address=1000 memory=1Ti exec=yes',
    BERTH_DISK_FREE: '1Mi',
  };
  berth = await createBerth(own, { engine: 'kubernetes' });
  await berth.serve();
  app = await berth.start(yaml(image));
  await berth.reach(app, 'running');
  await claim(berth, app);
});
after(async () => {
  await berth?.destroy();
  await standIn?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const named = ({ applicationName, sessionToken }: Started) => ({ applicationName, sessionToken });

async function told(of: Started) {
  const { status, body, text } = await berth.get(`/getSnapshots?${new URLSearchParams(named(of))}`);
  assert.equal(status, 200, `${text}\n${berth.log()}`);
  return body;
}

async function take(of = app, more: object = {}): Promise<string> {
  const { status, body, text } = await berth.postJson('/createSnapshot', { ...named(of), ...more });
  assert.equal(status, 200, text);
  return body.snapshot.id;
}

async function whenTaken(id: string, of = app) {
  return await until('the snapshot is taken', async () => {
    const found = (await told(of)).snapshots.find((each: { id: string }) => each.id === id);
    assert.notEqual(found.state, 'failed', found.problem);
    return found.state === 'taken' ? found : undefined;
  });
}

async function restore(id: string, more: object = {}, of = app) {
  const { status, body, text } = await berth.postJson('/restoreSnapshot', { ...named(of), snapshot: id, ...more });
  assert.equal(status, 200, text);
  return body;
}

async function whenRestored(of: Started): Promise<void> {
  await until('it is restored', async () => {
    const { restores } = await told(of);
    assert.notEqual(restores[0]?.state, 'failed', restores[0]?.problem);
    return restores[0]?.state === 'done' || undefined;
  });
}

async function textsOf(of: Started, ...paths: string[]): Promise<string[]> {
  return await until('it answers', async () => {
    const answers = await Promise.all(paths.map((path) => berth.visit(`${of.url}/${path}`).catch(() => undefined)));
    return answers.every((answer) => answer?.status === 200) ? answers.map((answer) => answer!.text.trim()) : undefined;
  });
}

/** How often it has been started, as each of its volumes says. */
async function bothStarts(of: Started): Promise<number> {
  const [data, more] = (await textsOf(of, 'starts', 'more/starts')).map((text) => text.split('\n').length);
  assert.equal(data, more);
  return data!;
}

async function numbers(of: Started): Promise<number[]> {
  return (await textsOf(of, 'number', 'more/number')).map(Number);
}

async function copiersOf(of: Started): Promise<string[]> {
  return await copiesIn(cluster, namespaceName((await berth.row(of)).id));
}

async function nothingIsLeft(of: Started): Promise<void> {
  await until('nothing is left of copies', async () => (await copiersOf(of)).length === 0 || undefined);
  assert.deepEqual((await berth.inventory()).orphans, []);
}

test('a snapshot stops those that write for as long as it says, and moves what has changed', async (t) => {
  assert.deepEqual(await textsOf(app, 'modes'), [modes]);
  first = await take();
  const one = await whenTaken(first);
  assert.ok(one.addedBytes >= blobBytes && one.pausedMs > 0, JSON.stringify(one));
  await nothingIsLeft(app);
  startsKept = (await bothStarts(app)) - 1;
  assert.ok(startsKept > 0);
  const two = await whenTaken(await take());
  assert.ok(two.totalBytes >= blobBytes && two.addedBytes < blobBytes / 2, JSON.stringify(two));
  t.diagnostic(
    `stopped for ${one.pausedMs} and ${two.pausedMs} ms, moved ${one.addedBytes} and ${two.addedBytes} bytes`,
  );
  assert.ok((await bothStarts(app)) > startsKept + 1);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      assert.ok(!(await readFile(join(entry.parentPath, entry.name))).includes('started'), entry.name);
});

test('restored in place, all volumes are those of the snapshot, with owners and modes, at the same address', async () => {
  const [before] = await numbers(app);
  await restore(first);
  await whenRestored(app);
  // Those that the snapshot has, and the one after the restore.
  assert.equal(await bothStarts(app), startsKept + 1);
  const [now] = await numbers(app);
  assert.ok(now! < before!, `${now} after ${before}`);
  assert.deepEqual(await textsOf(app, 'modes'), [modes]);
  await nothingIsLeft(app);
});

test('restored beside, another deployment begins with what the snapshot has', async () => {
  const [sum] = await textsOf(app, 'sum');
  const other: Started = (await restore(first, { beside: true })).started;
  await berth.reach(other, 'running');
  assert.equal(await bothStarts(other), startsKept + 1);
  assert.deepEqual(await textsOf(other, 'sum'), [sum]);
  await nothingIsLeft(other);
  await berth.remove(other);
});

async function runIn(of: Started, pod: string, ...command: string[]): Promise<string> {
  const { status, body, text } = await berth.postJson('/execInPod', { ...named(of), pod, command });
  assert.equal(status, 200, text);
  assert.deepEqual([body.exitCode, body.stderr], [0, ''], text);
  return body.stdout.trim();
}

test('a PostgreSQL is dumped and loaded by its own tools while it runs, and what a killed service has begun in its pod ends', async () => {
  const books = await berth.start(library(image));
  await berth.reach(books, 'running');
  await claim(berth, books);
  const run = (...command: string[]) => runIn(books, 'books', ...command);
  const ask = (sql: string) => run('psql', '-XAtq', '-U', 'postgres', '-d', 'books', '-c', sql);
  await ask(`CREATE TABLE books AS SELECT n, md5(n::text) AS title FROM generate_series(1, 100000) n`);
  const sum = await ask(`SELECT md5(string_agg(title, '' ORDER BY n)) FROM books`);
  const kept = await whenTaken(await take(books, { dump: true }), books);
  assert.deepEqual([kept.volumes, kept.dumps], [[], [{ pod: 'books', kind: 'postgres', volumes: ['books-data'] }]]);
  assert.equal(kept.pausedMs, 0);
  assert.ok(kept.totalBytes > 3_000_000 && kept.totalBytes < 9_000_000, `${kept.totalBytes} bytes`);
  await ask('DELETE FROM books; CREATE TABLE later (n int)');
  await restore(kept.id, {}, books);
  await whenRestored(books);
  assert.equal(await ask(`SELECT md5(string_agg(title, '' ORDER BY n)) FROM books`), sum);
  assert.equal(await ask("SELECT to_regclass('later') IS NULL"), 't');
  assert.ok(!berth.log().includes("it's"), 'a password is in the log');

  const body = { ...named(books), pod: 'books', command: ['sh', '-c', 'trap "" HUP TERM; sleep 7171'] };
  const given = berth.postJson('/execInPod', body).catch(() => undefined);
  // Some have just ended.
  const sleeps = async () =>
    (await run('sh', '-c', 'cat /proc/[0-9]*/cmdline 2>/dev/null; true')).includes('sleep\0' + '7171');
  await until('it sleeps', async () => (await sleeps()) || undefined);
  await berth.end('SIGKILL');
  await given;
  await berth.serve();
  await until('it was ended', async () => !(await sleeps()) || undefined);
  await nothingIsLeft(books);
  await berth.remove(books);
});

test('a MariaDB is dumped and loaded by its own tools, and a Redis saves before its volume is copied', async () => {
  const shop = await berth.start(market(image, mariadb));
  await berth.reach(shop, 'running');
  await claim(berth, shop);
  const goods = (sql: string) =>
    runIn(shop, 'goods', 'mariadb', '--user=root', "--password=it's", '-NB', 'goods', '-e', sql);
  const carts = (command: string) =>
    runIn(shop, 'carts', 'sh', '-c', `REDISCLI_AUTH=$CARTS_PASSWORD exec redis-cli -e ${command}`);
  await goods("CREATE TABLE goods (name TEXT, picture BLOB); INSERT INTO goods VALUES ('tea', x'00ff0a')");
  await carts('SET cart tea');
  const kept = await whenTaken(await take(shop, { dump: true }), shop);
  assert.deepEqual(
    [kept.volumes.map(({ name }: { name: string }) => name), kept.dumps.map(({ kind }: { kind: string }) => kind)],
    [['carts-data'], ['mysql', 'redis']],
  );
  await goods('DROP TABLE goods; CREATE TABLE later (n INT)');
  await berth.reach(shop, 'running');
  await carts('SET cart spoilt');
  await restore(kept.id, {}, shop);
  await whenRestored(shop);
  await berth.reach(shop, 'running');
  assert.equal(await goods('SELECT HEX(picture) FROM goods WHERE name = "tea"'), '00FF0A');
  assert.equal(await goods('SHOW TABLES'), 'goods');
  assert.equal(await carts('GET cart'), 'tea');
  await nothingIsLeft(shop);
  await berth.remove(shop);
});

test('of a service that is killed while it copies nothing is left, and the next one takes the snapshot', async () => {
  for (const instant of ['what copies is there', 'its pod is stopped']) {
    const id = await take();
    await until(instant, async () => {
      const there = await copiersOf(app);
      return (
        there.some((name) => name.startsWith(instant === 'its pod is stopped' ? 'Deployment web-' : 'Job copier-')) ||
        undefined
      );
    });
    await berth.end('SIGKILL');
    await berth.serve();
    await whenTaken(id);
    await nothingIsLeft(app);
    await berth.reach(app, 'running');
    const [data, more] = await numbers(app);
    assert.ok(Math.abs(data! - more!) <= 2, `${data} and ${more}`);
  }
});

test('why pods are stopped for a snapshot is told once by each process', () => {
  const told = (words: string) => berth.log().split(words).length - 1;
  assert.equal(told('"because":"the cluster has no VolumeSnapshots"'), told('"msg":"Berth serves"'), berth.log());
});

test('where the cluster takes VolumeSnapshots nobody is stopped, and what they have comes back', async () => {
  await standIn.begin();
  const starts = await bothStarts(app);
  const [sum] = await textsOf(app, 'sum');
  const id = await take();
  const { pausedMs, totalBytes } = await whenTaken(id);
  assert.equal(pausedMs, 0);
  assert.ok(totalBytes >= blobBytes, String(totalBytes));
  await nothingIsLeft(app);
  assert.equal(await bothStarts(app), starts);
  const other: Started = (await restore(id, { beside: true })).started;
  await berth.reach(other, 'running');
  assert.equal(await bothStarts(other), starts + 1);
  assert.deepEqual(await textsOf(other, 'modes', 'sum'), [modes, sum]);
  await nothingIsLeft(other);
  await berth.remove(other);
});

test('of a service that is killed while storage takes VolumeSnapshots none is left', async () => {
  standIn.isHeld = true;
  const id = await take();
  const taking = async () => (await copiersOf(app)).filter((name) => name.startsWith('VolumeSnapshot '));
  await until('both are asked for', async () => (await taking()).length === 2 || undefined);
  const left = await taking();
  await berth.end('SIGKILL');
  await berth.serve();
  await until('they are gone', async () => !(await taking()).some((name) => left.includes(name)) || undefined);
  standIn.isHeld = false;
  assert.equal((await whenTaken(id)).pausedMs, 0);
  await nothingIsLeft(app);
});
