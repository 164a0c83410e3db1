/** Databases on a cluster are kept and brought back by their own tools, which run in their pods. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { provideMariadb } from '../images/mariadb/recipe.ts';
import { named, type Started, until } from '../scenarios/berth.ts';
import { type SnapshotService, serveSnapshots } from './snapshot-service.ts';

let service: SnapshotService;
let mariadb: string;

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
  service = await serveSnapshots(async (docker) => {
    mariadb = await provideMariadb(docker);
    return [postgres, redis, mariadb];
  });
});
after(() => service?.[Symbol.asyncDispose]());

/** Also in a pod that has been stopped while its volume was copied, once it runs again. */
async function runIn(of: Started, pod: string, ...command: string[]): Promise<string> {
  const { status, body, text } = await until('its pod runs', async () => {
    const answer = await service.berth.postJson('/execInPod', { ...named(of), pod, command });
    return answer.body.code === 'pod_not_running' ? undefined : answer;
  });
  assert.equal(status, 200, text);
  assert.deepEqual([body.exitCode, body.stderr], [0, ''], text);
  return body.stdout.trim();
}

test('a PostgreSQL is dumped and loaded by its own tools while it runs, and what a killed service has begun in its pod ends', async () => {
  const books = await service.start(library(service.image));
  const run = (...command: string[]) => runIn(books, 'books', ...command);
  const ask = (sql: string) => run('psql', '-XAtq', '-U', 'postgres', '-d', 'books', '-c', sql);
  await ask(`CREATE TABLE books AS SELECT n, md5(n::text) AS title FROM generate_series(1, 100000) n`);
  const sum = await ask(`SELECT md5(string_agg(title, '' ORDER BY n)) FROM books`);
  const kept = await service.whenTaken(books, await service.take(books, { dump: true }));
  assert.deepEqual([kept.volumes, kept.dumps], [[], [{ pod: 'books', kind: 'postgres', volumes: ['books-data'] }]]);
  assert.equal(kept.pausedMs, 0);
  assert.ok(kept.totalBytes > 3_000_000 && kept.totalBytes < 9_000_000, `${kept.totalBytes} bytes`);
  await ask('DELETE FROM books; CREATE TABLE later (n int)');
  await service.restore(books, kept.id);
  await service.whenRestored(books);
  assert.equal(await ask(`SELECT md5(string_agg(title, '' ORDER BY n)) FROM books`), sum);
  assert.equal(await ask("SELECT to_regclass('later') IS NULL"), 't');
  assert.ok(!service.berth.log().includes("it's"), 'a password is in the log');

  const body = { ...named(books), pod: 'books', command: ['sh', '-c', 'trap "" HUP TERM; sleep 7171'] };
  const given = service.berth.postJson('/execInPod', body).catch(() => undefined);
  // Some have just ended.
  const sleeps = async () =>
    (await run('sh', '-c', 'cat /proc/[0-9]*/cmdline 2>/dev/null; true')).includes('sleep\0' + '7171');
  await until('it sleeps', async () => (await sleeps()) || undefined);
  await service.berth.end('SIGKILL');
  await given;
  await service.berth.serve();
  await until('it was ended', async () => !(await sleeps()) || undefined);
  await service.nothingIsLeft(books);
  await service.berth.remove(books);
});

test('a MariaDB is dumped and loaded by its own tools, and a Redis saves before its volume is copied', async () => {
  const shop = await service.start(market(service.image, mariadb));
  const goods = (sql: string) =>
    runIn(shop, 'goods', 'mariadb', '--user=root', "--password=it's", '-NB', 'goods', '-e', sql);
  const carts = (command: string) =>
    runIn(shop, 'carts', 'sh', '-c', `REDISCLI_AUTH=$CARTS_PASSWORD exec redis-cli -e ${command}`);
  await goods("CREATE TABLE goods (name TEXT, picture BLOB); INSERT INTO goods VALUES ('tea', x'00ff0a')");
  await carts('SET cart tea');
  const kept = await service.whenTaken(shop, await service.take(shop, { dump: true }));
  assert.deepEqual(
    [kept.volumes.map(({ name }: { name: string }) => name), kept.dumps.map(({ kind }: { kind: string }) => kind)],
    [['carts-data'], ['mysql', 'redis']],
  );
  await goods('DROP TABLE goods; CREATE TABLE later (n INT)');
  await carts('SET cart spoilt');
  await service.restore(shop, kept.id);
  await service.whenRestored(shop);
  await service.berth.reach(shop, 'running');
  assert.equal(await goods('SELECT HEX(picture) FROM goods WHERE name = "tea"'), '00FF0A');
  assert.equal(await goods('SHOW TABLES'), 'goods');
  assert.equal(await carts('GET cart'), 'tea');
  await service.nothingIsLeft(shop);
  await service.berth.remove(shop);
});
