/** The images that the examples use start and behave as the official ones, pulled or built here, under our limits. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { eventually, makeVolume, type Running, startContainer } from './containers.ts';

const password = { POSTGRES_PASSWORD: 'secret' };

/** Its port is open a moment before it accepts clients, so it refuses them. */
function query(database: Running, sql: string, url = `postgresql://postgres:secret@${database.address}/postgres`) {
  return eventually(async () => {
    const answer = await database.run('psql', '--no-psqlrc', '--tuples-only', '--no-align', url, '--command', sql);
    return /the database system is starting up/.test(answer.output) ? undefined : answer;
  });
}

async function untilOpen(address: string, port: number): Promise<void> {
  await eventually(async () => {
    const socket = connect(port, address);
    await once(socket, 'connect');
    socket.destroy();
    return true;
  });
}

test('PostgreSQL makes the user and the database that its variables name', async (t) => {
  const env = { POSTGRES_USER: 'shop', POSTGRES_PASSWORD: "it's", POSTGRES_DB: 'my "shop"' };
  const database = await startContainer(t, { image: 'postgres:15', env });
  await untilOpen(database.address, 5432);
  const url = `postgresql://shop:it%27s@${database.address}/my%20%22shop%22`;
  const requested = await query(database, "SELECT current_user, current_database(), 'a' < 'B', version()", url);
  assert.match(requested.output, /^shop\|my "shop"\|t\|PostgreSQL 15\./);
  const refused = await query(database, 'SELECT 1', url.replace('it%27s', 'wrong'));
  assert.match(refused.output, /password authentication failed/);
  assert.equal((await database.run('stat', '-c', '%U', '/proc/1')).output, 'postgres');
});

test('PostgreSQL refuses to start without a password, unless all clients are trusted', async (t) => {
  const locked = await startContainer(t, { image: 'postgres:15' });
  const { StatusCode } = await locked.container.wait();
  assert.equal(StatusCode, 1);
  assert.match(await locked.output(), /superuser password is not specified/);

  const open = await startContainer(t, { image: 'postgres:15', env: { POSTGRES_HOST_AUTH_METHOD: 'trust' } });
  await untilOpen(open.address, 5432);
  assert.equal((await query(open, 'SELECT 1', `postgresql://postgres@${open.address}/postgres`)).output, '1');
});

test('PostgreSQL has run the files of initdb.d when it lets the first one in', async (t) => {
  const files = [
    { path: '/docker-entrypoint-initdb.d/1.sql', content: 'CREATE TABLE goods (name text);' },
    {
      path: '/docker-entrypoint-initdb.d/2.sh',
      content: '[[ -n $POSTGRES_DB ]] && psql -U "$POSTGRES_USER" -c "INSERT INTO goods VALUES (\'tea\')"\n',
    },
  ];
  const command = ['postgres', '-c', 'application_name=with options'];
  const database = await startContainer(t, { image: 'postgres:15', env: password, files, command });
  await untilOpen(database.address, 5432);
  assert.equal((await query(database, 'SELECT name FROM goods')).output, 'tea');
});

test('PostgreSQL ends at once although clients are connected, and its volume serves the next container', async (t) => {
  const data = await makeVolume(t);
  const volumes = { [data]: '/var/lib/postgresql/data' };
  const first = await startContainer(t, { image: 'postgres:15', env: password, volumes });
  await untilOpen(first.address, 5432);
  await query(first, 'CREATE TABLE kept AS SELECT 1 AS one');
  const idle = first.run(
    'psql',
    '--command',
    'SELECT pg_sleep(400)',
    `postgresql://postgres:secret@${first.address}/postgres`,
  );
  const requested =
    "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(400)%' AND pid <> pg_backend_pid()";
  await eventually(async () => (await query(first, requested)).output === '1' || undefined);
  const startedAt = performance.now();
  await first.container.stop({ t: 500 });
  assert.ok(performance.now() - startedAt < 300_000, 'the service waits neither for the client nor for the timeout');
  await idle;
  await first.remove();

  const second = await startContainer(t, { image: 'postgres:15', volumes });
  await untilOpen(second.address, 5432);
  assert.equal((await query(second, 'SELECT one FROM kept')).output, '1');
});

test('Redis answers other containers as its own user', async (t) => {
  const cache = await startContainer(t, { image: 'redis:7' });
  await untilOpen(cache.address, 6379);
  assert.equal((await cache.run('redis-cli', '-h', cache.address, 'PING')).output, 'PONG');
  assert.equal((await cache.run('stat', '-c', '%U', '/proc/1', '/data')).output, 'redis\nredis');
});

test('Redis takes options in place of a command', async (t) => {
  const cache = await startContainer(t, { image: 'redis:7', command: ['--requirepass', 'secret'] });
  await untilOpen(cache.address, 6379);
  assert.match((await cache.run('redis-cli', '-h', cache.address, 'PING')).output, /NOAUTH/);
});

test('nginx serves its page on port 80 and logs to where logs are read', async (t) => {
  const web = await startContainer(t, { image: 'nginx:1' });
  const response = await eventually(() => fetch(`http://${web.address}/?seen`));
  assert.equal(response.headers.get('content-type'), 'text/html');
  assert.match(await response.text(), /Welcome to nginx!/);
  // Output reaches the engine's log with a delay.
  await eventually(async () => /"GET \/\?seen HTTP\/1\.1" 200/.test(await web.output()) || undefined);
});

test('nginx includes conf.d and fills templates from the environment', async (t) => {
  const files = [
    { path: '/etc/nginx/conf.d/more.conf', content: 'server { listen 81; return 200 "more"; }' },
    {
      path: '/etc/nginx/templates/greeting.conf.template',
      content: 'server { listen ${PORT}; add_header X-Path $uri; return 200 "hello $NAME"; }',
    },
  ];
  const web = await startContainer(t, { image: 'nginx:1', env: { NAME: 'tapir', PORT: '82' }, files });
  assert.equal(await eventually(async () => (await fetch(`http://${web.address}:81`)).text()), 'more');
  const greeting = await fetch(`http://${web.address}:82/here`);
  assert.equal(await greeting.text(), 'hello tapir');
  assert.equal(greeting.headers.get('x-path'), '/here');
});

test('Node runs a program, has its user, its tools and the public certificates', async (t) => {
  const files = [{ path: '/app/idle.js', content: "require('node:http').createServer().listen(3000)" }];
  const app = await startContainer(t, { image: 'node:26-slim', files, command: ['/app/idle.js'] });
  await untilOpen(app.address, 3000);
  assert.match((await app.run('node', '--version')).output, /^v26\./);
  assert.match(
    (await app.run('sh', '-c', 'npm --version && id -u node && bash -c "echo $0"')).output,
    /^\d+\.\d+\.\d+\n1000\n/,
  );
  assert.equal((await app.run('node', '-p', 'new Intl.DateTimeFormat("de").format(0)')).output, '1.1.1970');
  // Found, but without the entry point of a native module.
  for (const library of ['librt.so.1', 'libutil.so.1', 'libresolv.so.2']) {
    const loading = await app.run('node', '-e', `process.dlopen({ exports: {} }, '${library}')`);
    assert.match(loading.output, /Module did not self-register/);
  }
});
