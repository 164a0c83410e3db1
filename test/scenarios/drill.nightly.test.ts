/**
 * The drill: applications under constant writes, a backup, then everything of the machine is deleted, and comes back.
 * Needs root, as volumes with file systems of their own do.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { provideMariadb } from '../images/mariadb/recipe.ts';
import { startS3 } from '../support/s3-server.ts';
import { type Berth, createBerth, type Started, until } from './berth.ts';
import { claim } from './claimed.ts';

const run = promisify(execFile);
const needsRoot = { skip: process.getuid?.() === 0 ? false : 'file systems can be made by root alone' };

/** A page that answers a POST once the number of its query is kept, and a GET with the numbers that it has. */
const keeper = (name: string, keep: string, more = '') => `application:
  name: ${name}
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: node /app/server.mjs
${more === '' ? '      volumes: [{ name: data, size: 64Mi, mountPath: /data }]\n' : ''}      files:
        - path: /app/server.mjs
          content: |
            import { createServer } from 'node:http';
            import { closeSync, fsyncSync, openSync, readdirSync, writeSync } from 'node:fs';
            import { connect } from 'node:net';
            ${keep.trim().replaceAll('\n', '\n            ')}
            createServer(async (request, response) => {
              try {
                const number = request.url.slice(2);
                if (request.method === 'POST') await put(number);
                response.end(request.method === 'POST' ? 'kept' : (await all()).join(' '));
              } catch (error) { response.writeHead(503).end(error.message); }
            }).listen(3000);
            process.once('SIGTERM', () => process.exit());
${more}`;

/** A file for each, as an application does that takes uploads. */
const uploads = keeper(
  'uploads',
  `
const sync = (path, flags, text) => {
  const file = openSync(path, flags);
  if (text) writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
};
const put = (number) => { sync('/data/' + number, 'w', 'upload ' + number); sync('/data', 'r'); };
const all = () => readdirSync('/data').filter((name) => /^\\d+$/.test(name));`,
);

const counters = keeper(
  'counters',
  `
const ask = (...words) => new Promise((resolve, reject) => {
  let text = '';
  const socket = connect({ host: 'store.pod', port: 6379, timeout: 5000 }, () => socket.end(words.join(' ') + '\\r\\nQUIT\\r\\n'));
  socket.on('data', (piece) => { text += piece; }).on('end', () => resolve(text)).on('error', reject);
});
const put = async (number) => {
  const answer = await ask('RPUSH', 'numbers', number);
  if (!answer.startsWith(':')) throw new Error(answer);
};
const all = async () => {
  const answer = await ask('LRANGE', 'numbers', '0', '-1');
  if (!answer.startsWith('*')) throw new Error(answer);
  return [...answer.matchAll(/^(\\d+)\\r$/gm)].map(([, number]) => number);
};`,
  `    - name: store
      image: redis:7
      servicePorts: [6379]
      command: redis-server --appendonly yes --appendfsync always --dir /data
      volumes: [{ name: data, size: 64Mi, mountPath: /data }]
`,
);

/** As the others, by the database's own client. */
const ledger = `application:
  name: ledger
  pods:
    - name: web
      image: mariadb:10.11
      path: /
      servicePorts: [8080]
      vars: { MYSQL_PWD: "\${BOOKS}" }
      entrypoint: /bin/sh
      command: ["-c", "mkdir -p /tmp/www/cgi-bin && cp /app/page.sh /tmp/www/cgi-bin/index.cgi && chmod +x /tmp/www/cgi-bin/index.cgi && exec busybox httpd -f -p 8080 -h /tmp/www"]
      files:
        - path: /app/page.sh
          content: |
            #!/bin/sh
            ask() { mariadb --host store.pod --user books --batch --skip-column-names books --execute "$1"; }
            make='CREATE TABLE IF NOT EXISTS numbers (number INT PRIMARY KEY)'
            case "$REQUEST_METHOD$QUERY_STRING" in
              GET) sql='SELECT number FROM numbers' ;;
              POST*[!0-9]*) sql= ;;
              POST?*) sql="$make; INSERT IGNORE INTO numbers VALUES ($QUERY_STRING)" ;;
            esac
            answer=$(ask "$sql") || { printf 'Status: 503 Away\\r\\n\\r\\n'; exit; }
            printf 'Status: 200 OK\\r\\nContent-Type: text/plain\\r\\n\\r\\n'
            echo $answer
    - name: store
      image: mariadb:10.11
      servicePorts: [3306]
      vars: { MARIADB_ROOT_PASSWORD: "\${ROOT}", MARIADB_DATABASE: books, MARIADB_USER: books, MARIADB_PASSWORD: "\${BOOKS}" }
      volumes: [{ name: data, size: 512Mi, mountPath: /var/lib/mysql }]
`;

test(
  'all writes confirmed before a backup are there after everything was deleted, at the same addresses',
  needsRoot,
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-drill-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    await provideMariadb(await connectDocker());
    const guestbook = await readFile(join(import.meta.dirname, '../../examples/guestbook.yaml'), 'utf8');
    await drill(t, { place: join(folder, 'kept'), env: {} }, [guestbook, uploads, counters, ledger]);
  },
);

test('so it is from a store that speaks S3', needsRoot, async (t) => {
  const store = await startS3();
  t.after(() => store[Symbol.asyncDispose]());
  await drill(t, { place: `${store.place}/berth`, env: store.env }, [uploads, counters]);
});

/** `env`: the keys of the place. */
async function drill(
  t: TestContext,
  { place, env }: { place: string; env: Record<string, string> },
  documents: readonly string[],
): Promise<void> {
  const berth = await createBerth({}, { store: 'sqlite' });
  const secrets = await mkdtemp(join(tmpdir(), 'berth-drill-'));
  t.after(() => rm(secrets, { recursive: true, force: true }));
  t.after(() => berth.destroy());
  await berth.serve();
  const applications: Started[] = [];
  for (const yaml of documents) applications.push(await berth.start(yaml));
  for (const each of applications) await berth.reach(each, 'running');
  for (const each of applications) await claim(berth, each);

  await using writers = new AsyncDisposableStack();
  const isBook = ({ applicationName }: Started) => applicationName === 'guestbook';
  const written = applications.map((each) =>
    writers.use(isBook(each) ? signGuestbook(berth, each) : putNumbers(berth, each)),
  );
  await until('each has written', async () => written.every(({ answered }) => answered() >= 20) || undefined);
  const before = written.map(({ answered }) => answered());
  const passphrase = join(secrets, 'passphrase');
  await writeFile(passphrase, 'correct horse battery', { mode: 0o600 });
  const admin = (...words: string[]) =>
    run(process.execPath, ['src/cli/bin.mjs', 'admin', ...words, '--passphrase-file', passphrase], {
      env: { ...berth.environment, ...env },
    });
  const kept = await admin('backup', '--to', place);
  assert.match(kept.stdout, new RegExp(`the volumes of ${applications.length} deployments`));
  t.diagnostic(kept.stderr.trim());
  await until(
    'they write on',
    async () => written.every(({ answered }, index) => answered() > before[index]! + 5) || undefined,
  );
  await writers.disposeAsync();

  const lostAt = performance.now();
  await run(process.execPath, ['scripts/down.ts', '--yes'], { env: berth.environment });
  await berth.end('SIGKILL');
  const { dataDir } = berth.settings;
  for (const name of await readdir(dataDir)) await rm(join(dataDir, name), { recursive: true });

  const back = await admin('restore', '--from', place);
  assert.match(back.stdout, new RegExp(`^${applications.length} volumes have their data again\\.$`, 'm'));
  await berth.serve();
  for (const each of applications) await berth.reach(each, 'running');
  const found: number[][] = [];
  for (const each of applications)
    found.push(await until('it answers', () => numbersIn(berth, each, isBook(each)).catch(() => undefined)));
  t.diagnostic(`from the loss to all running: ${Math.round((performance.now() - lostAt) / 1000)} s`);
  for (const [index, has] of found.entries()) {
    const highest = Math.max(...has);
    assert.ok(highest >= before[index]!, `${highest} of ${before[index]} in ${applications[index]!.applicationName}`);
    // The guestbook shows its newest hundred.
    const least = isBook(applications[index]!) ? Math.max(1, highest - 99) : 1;
    const all = new Set(has);
    for (let number = least; number <= highest; number++) assert.ok(all.has(number), `${number} is lost`);
  }
  const { orphans } = await berth.inventory();
  assert.deepEqual(orphans, []);
}

async function numbersIn(berth: Berth, { url }: Started, isBook: boolean): Promise<number[] | undefined> {
  if (!isBook) {
    const { status, text } = await berth.visit(url);
    return status === 200 ? text.trim().split(' ').map(Number) : undefined;
  }
  const entries = (await berth.visit(`${url}/api/entries`)).body?.entries as { name: string }[] | undefined;
  return entries?.map(({ name }) => Number(name));
}

type Writer = AsyncDisposable & { answered(): number };

const putNumbers = (berth: Berth, { url }: Started) =>
  writeOn((number) => berth.visit(`${url}/?${number}`, { method: 'POST', headers: { 'content-length': 0 } }), 200);

const signGuestbook = (berth: Berth, { url }: Started) =>
  writeOn((number) => {
    const body = JSON.stringify({ name: String(number), message: 'was here' });
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    return berth.visit(`${url}/api/entries`, { method: 'POST', headers, body });
  }, 201);

/** Writes one number after another. A number without an answer is not counted, and sent again. */
function writeOn(put: (number: number) => Promise<{ status: number }>, kept: number): Writer {
  let answered = 0;
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      const { status } = await put(answered + 1).catch(() => ({ status: 0 }));
      if (status === kept) answered++;
    }
  })();
  return {
    answered: () => answered,
    async [Symbol.asyncDispose]() {
      isOver = true;
      await writing;
    },
  };
}
