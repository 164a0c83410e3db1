/** `berth up` as it is installed: from folders of several kinds to live pages, against a real service and real Docker. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { installPacked, type Packed } from '../cli/packed.ts';
import { type Berth, createBerth, until } from '../scenarios/berth.ts';

let packed: Packed;
let berth: Berth;
let place: string;
before(async () => {
  packed = await installPacked();
  berth = await createBerth();
  await berth.serve();
  place = await mkdtemp(join(tmpdir(), 'berth-up-'));
});
after(async () => {
  await berth?.destroy();
  await packed?.remove();
  await rm(place, { recursive: true, force: true });
});

/** A folder with these files, and `berth` in it. */
async function project(name: string, files: Record<string, string | Buffer>) {
  const folder = join(place, name);
  const write = async (path: string, content: string | Buffer) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };
  for (const [path, content] of Object.entries(files)) await write(path, content);
  const start = (...words: string[]) =>
    packed.start(words, { cwd: folder, env: { BERTH_SERVER: berth.settings.baseUrl.origin, HOME: place } });
  const cli = async (...words: string[]) => await start(...words).ended;
  return {
    folder,
    write,
    start,
    cli,
    /** Goes up, and answers what the command says as JSON. */
    async up(...words: string[]) {
      const { status, stdout, stderr } = await cli('up', '--json', ...words);
      assert.equal(status, 0, stderr);
      return { ...JSON.parse(stdout), stderr } as { url: string; images: Pushed[]; stderr: string };
    },
    remove: async () => assert.equal((await cli('remove', '--yes')).status, 0),
  };
}

type Pushed = { name: string; sentBytes: number; sentLayers: number; layers: number };

const site = {
  Dockerfile:
    'FROM nginx:1\nCOPY assets /usr/share/nginx/html/assets\nCOPY index.html /usr/share/nginx/html/\nEXPOSE 80\n',
  'index.html': 'first',
};

test('a Dockerfile with a site and 5 MB of assets goes live; changed, it goes up again with the changed layer alone', async () => {
  const { up, write, folder, remove } = await project('site', {
    ...site,
    'assets/large.bin': randomBytes(5 * 2 ** 20),
  });
  const first = await up();
  assert.equal((await berth.visit(first.url)).text, 'first');
  assert.ok(first.images[0]!.sentBytes > 5 * 2 ** 20);
  assert.equal((await stat(join(folder, '.berth/config.json'))).mode & 0o777, 0o600);

  await write('index.html', 'second');
  const second = await up();
  assert.equal(second.url, first.url);
  assert.equal((await berth.visit(second.url)).text, 'second');
  const { sentBytes, sentLayers } = second.images[0]!;
  assert.equal(sentLayers, 1);
  assert.ok(sentBytes < 20_000, `${sentBytes} bytes were sent`);
  await remove();
});

test('a second time without a change sends nothing and says so; after an update from elsewhere it is sent again', async () => {
  const { up, cli, write, remove } = await project('still', { ...site, 'assets/small.txt': 'x' });
  const revision = async () => JSON.parse((await cli('status', '--json')).stdout).status.revision;
  const first = await up();
  const second = await up();
  assert.match(second.stderr, /nothing has changed, so nothing is sent/);
  assert.equal(second.url, first.url);
  assert.equal(second.images[0]!.sentBytes, 0);
  assert.equal(await revision(), 1);

  await write(
    'other.yaml',
    'application: { name: still, pods: [{ name: web, image: nginx:1, path: /, servicePorts: [80] }] }',
  );
  assert.equal((await cli('deploy', 'other.yaml')).status, 0);
  assert.equal(await revision(), 2);
  const again = await up();
  assert.doesNotMatch(again.stderr, /so nothing is sent/);
  assert.equal(await revision(), 3);
  assert.equal((await berth.visit(again.url)).text, 'first');

  assert.doesNotMatch((await up('--force')).stderr, /so nothing is sent/);
  assert.equal(await revision(), 4);
  await remove();
});

const compose = `name: shop
services:
  web:
    build: { context: ./web, args: { COLOUR: "\${COLOUR}" } }
    ports: ["8000:3000"]
    environment: { GREETING: "\${GREETING}", TOKEN: "\${SHOP_TOKEN}" }
    cpu_count: 2
    volumes: ["./web:/app", "./pages:/pages:ro"]
    depends_on: [cache]
  cache:
    image: redis:7
    volumes: ["./settings/redis.conf:/etc/redis.conf:ro"]
    command: redis-server /etc/redis.conf
`;

const shop = {
  'compose.yaml': compose,
  '.env': 'GREETING=good day\nCOLOUR=green\n',
  'settings/redis.conf': 'maxmemory 10mb\n',
  'pages/page.bin': Buffer.concat([Buffer.from('from the folder'), Buffer.from([0, 255])]),
  'web/Dockerfile':
    'FROM node:26-slim\nARG COLOUR\nENV COLOUR=$COLOUR\nWORKDIR /app\nCOPY . .\nEXPOSE 3000\nCMD ["node", "server.js"]\n',
  'web/server.js': `const { GREETING, TOKEN, COLOUR } = process.env;
const page = require('node:fs').readFileSync('/pages/page.bin', 'latin1').slice(0, 15);
require('node:http').createServer((_, response) => response.end([GREETING, TOKEN, COLOUR, page].join(' '))).listen(3000);
`,
};

test('a Compose folder with a build, mounted files and an .env goes live, and says which value it misses', async () => {
  const { up, cli, write, folder, remove } = await project('shop', shop);
  const missing = await cli('up');
  assert.equal(missing.status, 1);
  assert.match(missing.stderr, /^compose\.yaml:6:\d+: SHOP_TOKEN has no value/m);
  assert.match(missing.stderr, /--env SHOP_TOKEN=/);
  await assert.rejects(stat(join(folder, '.berth')), 'nothing was begun');

  const first = await up('--env', 'SHOP_TOKEN=a1');
  assert.equal((await berth.visit(first.url)).text, 'good day a1 green from the folder');
  assert.match(first.stderr, /build +\.\/web:1 from \.\/web/);
  assert.match(first.stderr, /note +compose\.yaml:\d+:\d+: "cpu_count" is ignored/);
  assert.equal(first.stderr.split('"cpu_count" is ignored').length, 2, 'a finding of the plan is printed once');

  await write('.env', 'GREETING=good night\nCOLOUR=green\nSHOP_TOKEN=b2\n');
  const second = await up();
  assert.deepEqual(second.images[0]!.sentBytes, 0, 'what is built is the same');
  assert.equal((await berth.visit(second.url)).text, 'good night b2 green from the folder');
  await remove();
});

test('a dry run prints the plan and does nothing; services that cannot run on a shared host are refused by name', async () => {
  const { cli, write, folder } = await project('dry', shop);
  const dry = await cli('up', '--dry-run', '--json', '--env', 'SHOP_TOKEN=a');
  assert.equal(dry.status, 0, dry.stderr);
  const plan = JSON.parse(dry.stdout);
  assert.deepEqual(
    plan.pods.map(({ name, path }: { name: string; path?: string }) => [name, path]),
    [
      ['web', '/'],
      ['cache', undefined],
    ],
  );
  await write(
    'compose.yaml',
    'services: { agent: { image: redis:7, volumes: ["/var/run/docker.sock:/var/run/docker.sock"] } }',
  );
  const refused = await cli('up');
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /refused .*compose\.yaml:1:\d+: .*\[docker-socket\]/);
  await assert.rejects(stat(join(folder, '.berth')));
});

test('a build that fails shows its last lines, and the session that was made for it is used by the next one', async () => {
  const { up, cli, write, folder, remove } = await project('failing', {
    Dockerfile: 'FROM nginx:1\nEXPOSE 80\nRUN echo no such thing && exit 3\n',
  });
  const failed = await cli('up');
  assert.equal(failed.status, 1);
  assert.match(failed.stderr, /\| .*no such thing/);
  assert.match(failed.stderr, /The build has failed/);
  const memory = async () => JSON.parse(await readFile(join(folder, '.berth/config.json'), 'utf8'));
  const { sessionToken } = await memory();
  await write('Dockerfile', 'FROM nginx:1\nEXPOSE 80\n');
  await up();
  assert.equal((await memory()).sessionToken, sessionToken);
  await remove();
});

test('Ctrl-C during a build leaves a sentence and no running process; the same command continues', async () => {
  const { up, start, write, remove } = await project('interrupted', {
    Dockerfile: 'FROM nginx:1\nEXPOSE 80\nRUN echo it has begun && sleep 600\n',
  });
  const running = start('up', '--verbose');
  await until('the build runs', async () => running.told().stderr.includes('it has begun'));
  running.interrupt();
  const { status, stderr } = await running.ended;
  assert.equal(status, 130);
  assert.match(stderr, /Interrupted\.\n$/);
  await write('Dockerfile', 'FROM nginx:1\nEXPOSE 80\n');
  await up();
  await remove();
});

test('with --watch a saved file is live without another word', async () => {
  const { start, write, remove } = await project('watched', { ...site, 'assets/small.txt': 'x' });
  const running = start('up', '--watch');
  await until('it watches', async () => running.told().stderr.includes('Watching'));
  const [url] = /http:\S+/.exec(running.told().stdout)!;
  assert.equal((await berth.visit(url)).text, 'first');
  await write('index.html', 'saved');
  await until('the page is the new one', async () => (await berth.visit(url)).text === 'saved');
  running.interrupt();
  assert.equal((await running.ended).status, 130);
  assert.equal((await berth.visit(url)).text, 'saved', 'what runs stays');
  await remove();
});

test('with --remote the service builds the images, to the same application as with a local Docker', async () => {
  const { up, cli, write, remove } = await project('remote', {
    ...shop,
    '.gitignore': 'node_modules\n*.log\n.env\n',
    'web/node_modules/left/index.js': '',
    'web/debug.log': '',
    'web/server.js': shop['web/server.js']
      .replace('COLOUR, page', 'COLOUR, page, ...readdirSync("/app"), existsSync("/app/.berth")')
      .replace(/^/, "const { readdirSync, existsSync } = require('node:fs');\n"),
  });
  const first = await up('--remote', '--env', 'SHOP_TOKEN=a1 $b "c"', '--verbose');
  const page = async () => (await berth.visit(first.url)).text;
  assert.equal(await page(), 'good day a1 $b "c" green from the folder Dockerfile server.js false');
  assert.match(first.stderr, /send +7 files/);
  assert.match(first.stderr, /STEP 1\/\d+: FROM node:26-slim/);
  assert.equal(first.stderr.split('"cpu_count" is ignored').length, 2, 'the warning is printed once');
  assert.match((await cli('logs', '--build')).stdout, /^STEP 1\/\d+: FROM node:26-slim$/m);

  const again = await up('--remote', '--env', 'SHOP_TOKEN=a1 $b "c"');
  assert.match(again.stderr, /nothing has changed, so nothing is sent/);
  await write('pages/page.bin', 'from another folder');
  await up('--remote', '--env', 'SHOP_TOKEN=x');
  assert.match(await page(), /^good day x green from another f/);
  await remove();
});

test('without a local Docker the service builds, also source code without a document', async () => {
  const { folder, remove } = await project('bare', {
    'package.json': JSON.stringify({ name: 'bare', scripts: { start: 'node server.js' } }),
    'server.js': "require('node:http').createServer((_, response) => response.end('bare')).listen(process.env.PORT);\n",
  });
  const env = { PATH: place, HOME: place, BERTH_SERVER: berth.settings.baseUrl.origin };
  const child = spawn(process.execPath, [packed.program, 'up'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [notes, printed, [status]] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'close')]);
  assert.equal(status, 0, notes);
  assert.equal(notes.split('Built from package.json').length, 2, 'the warning is printed once');
  assert.match(notes, /send +2 files, \d+ B; the images are built at http/);
  const [url] = /http:\S+/.exec(printed)!;
  assert.equal((await berth.visit(url)).text, 'bare');
  await remove();
});

test('what --remote cannot send is refused before anything is sent', async () => {
  const { cli, folder } = await project('large', site);
  const handle = await open(join(folder, 'large.bin'), 'w');
  await handle.truncate(513 * 2 ** 20);
  await handle.close();
  const large = await cli('up', '--remote');
  assert.match(large.stderr, /has 537\.9 MB, and a service accepts 536\.9 MB\..*large\.bin \(537\.9 MB\)/);
  const outside = await cli('up', '--remote', '--allow', tmpdir());
  assert.match(outside.stderr, /Only the folder itself is sent/);
  for (const { status } of [large, outside]) assert.equal(status, 2);
  await assert.rejects(stat(join(folder, '.berth')));
});
