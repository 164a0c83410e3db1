/** From source code to a live site with nothing but HTTP: the service builds the images. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { dockerfile, serverOf } from '../support/node-source.ts';
import { sourceArchive } from '../support/source-archive.ts';
import { type Berth, createBerth, type Started, until } from './berth.ts';
import { onDocker } from './engine-of-tests.ts';

const options = onDocker('the base images of these tests are on the engine of this machine alone');

let berth: Berth;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(() => berth?.destroy());

async function send(path: string, files: Record<string, string>, type = 'application/gzip') {
  const url = `http://localhost:${berth.settings.port}${path}`;
  const headers = { ...(type && { 'content-type': type }), connection: 'close' };
  return await berth.visit(url, { method: 'POST', headers, body: await sourceArchive(files) });
}

async function startFrom(name: string, files: Record<string, string>, type?: string): Promise<Started> {
  const answer = await send(`/startUserDeployment?name=${name}`, files, type);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const logOf = async ({ sessionToken, applicationName }: Started, more = '') =>
  (
    await berth.get(`/getDeploymentLogs?applicationName=${applicationName}&build=true${more}`, {
      authorization: `Bearer ${sessionToken}`,
    })
  ).text;

test('a folder with a Dockerfile is live after one request, and its update after another', options, async () => {
  const steps = ['ENV GREETING=" world"', "RUN printf '\\033[32mgreen\\033[2J\\n'"];
  const files = { Dockerfile: dockerfile(...steps), 'server.mjs': serverOf('hello') };
  // As curl sends it: --data-binary names no type that says what it is.
  const started = await startFrom('shop', files, 'application/x-www-form-urlencoded');
  await berth.reach(started, 'running');
  assert.equal((await berth.visit(started.url)).text, 'hello world');
  const log = await logOf(started, '&follow=true');
  assert.match(log, /STEP 1\/\d+: FROM node:26-slim/);
  assert.match(log, /^green$/m);
  assert.ok((await logOf(started, '&colors=true')).includes('\n\x1b[32mgreen\x1b[0m\n'));
  const changed = { ...files, 'server.mjs': serverOf('goodbye') };
  for (const [previewed, change] of [
    [files, 'unchanged'],
    [changed, 'replaced'],
  ] as const) {
    const path = `/previewUserDeployment?sessionToken=${started.sessionToken}&name=shop`;
    const { status, text, body } = await send(path, previewed);
    assert.equal(status, 200, text);
    assert.deepEqual([body.pods[0].name, body.pods[0].change], ['web', change]);
  }
  const updated = await send(`/updateUserDeployment?sessionToken=${started.sessionToken}&name=shop`, changed);
  assert.equal(updated.status, 200, updated.text);
  await until('the update serves', async () => {
    const { text } = await berth.visit(started.url);
    return text === 'goodbye world' || undefined;
  });
  await berth.reach(started, 'running');
  assert.match(await logOf(started), /Using cache/);
  const before = await berth.status(started);
  const again = await send(`/updateUserDeployment?sessionToken=${started.sessionToken}&name=shop`, {
    'server.mjs': serverOf('goodbye'),
    Dockerfile: files.Dockerfile,
  });
  assert.equal(again.status, 200, again.text);
  const events = await berth.eventsUntil(started, /revision 3 is running/);
  assert.match(await logOf(started), /same as in revision 2/);
  const after = await berth.status(started);
  assert.deepEqual(after.pods[0].image, before.pods[0].image);
  assert.ok(events.some(({ message }) => message === 'building ./web:1'));
  await berth.remove(started);
});

test('a Compose project with a build starts whole, with the values of its .env', options, async () => {
  const started = await startFrom('project', {
    'compose.yaml': `name: project
services:
  web:
    build: { context: web, args: { GREETING: "\${GREETING}" } }
    ports: ["3000:3000"]
    depends_on: [cache]
  cache:
    image: redis:7
`,
    '.env': 'GREETING=" from .env"\n',
    // The steps of a build ask the resolver of their network, not a public one.
    'web/Dockerfile': dockerfile(
      'ARG GREETING',
      'ENV GREETING=$GREETING',
      "RUN sh -c 'while read -r word address; do [ $word != nameserver ] || [ $address = 127.0.0.11 ] || exit 1; done' < /etc/resolv.conf",
    ),
    'web/server.mjs': serverOf('hello'),
  });
  await berth.reach(started, 'running');
  assert.equal((await berth.visit(started.url)).text, 'hello from .env');
  await berth.remove(started);
});

test('a folder with a package.json alone is built with a Dockerfile that the service writes', options, async () => {
  const files = {
    'package.json': JSON.stringify({ name: 'plain', version: '1.0.0', scripts: { start: 'node server.mjs' } }),
    'server.mjs': serverOf('plain'),
  };
  const trial = await send('/startUserDeployment?name=plain&dryRun=true', files);
  assert.deepEqual(
    trial.body.source.written.map(({ name }: { name: string }) => name),
    ['Dockerfile', '.dockerignore', 'berth.yaml'],
  );
  assert.match(trial.body.source.written[0].content, /^FROM node:/m);
  assert.match(trial.body.source.document, /image: .*\.\/web:1/);
  const started = await startFrom('plain', files);
  await berth.reach(started, 'running');
  assert.match((await berth.visit(started.url)).text, /^plain/);
  await berth.remove(started);
});

test('a form with a configuration and an archive for each folder is live after one request', options, async () => {
  const form = new FormData();
  const configuration = `application:
  name: from-form
  pods:
    - { name: web, build: ./apps/web, path: / }
`;
  form.append('config', configuration);
  const files = { Dockerfile: dockerfile('ENV GREETING=" form"'), 'server.mjs': serverOf('by') };
  form.append('apps/web', new Blob([new Uint8Array(await sourceArchive(files))]), 'web.tgz');
  const request = new Request('http://localhost', { method: 'POST', body: form });
  const { status, text, body } = await berth.visit(`http://localhost:${berth.settings.port}/startUserDeployment`, {
    method: 'POST',
    headers: { 'content-type': request.headers.get('content-type')! },
    body: Buffer.from(await request.arrayBuffer()),
  });
  assert.equal(status, 200, text);
  await berth.reach(body, 'running');
  assert.equal((await berth.visit(body.url)).text, 'by form');
  await berth.remove(body);
});

test('images of one Dockerfile with different build arguments share no layers', options, async () => {
  const service = (name: string, who: string, port: string) =>
    `  ${name}: { build: { context: ., args: { WHO: ${who} } }, ${port}: ["3000"] }\n`;
  const files = (web: string, other: string) => ({
    Dockerfile: dockerfile('ARG WHO', 'ENV GREETING=$WHO'),
    'server.mjs': `import { createServer } from 'node:http';
createServer(async (request, response) => {
  const other = request.url === '/' ? await (await fetch('http://other:3000/alone')).text() : '';
  response.end(process.env.GREETING + other);
}).listen(3000);
process.on('SIGTERM', () => process.exit());\n`,
    'compose.yaml': `name: twice\nservices:\n${service('web', web, 'ports')}${service('other', other, 'expose')}`,
  });
  const started = await startFrom('twice', files('one', 'two'));
  await berth.reach(started, 'running');
  const page = async () => (await berth.visit(started.url)).text;
  assert.equal(await page(), 'onetwo');
  const path = `/updateUserDeployment?name=twice&sessionToken=${started.sessionToken}`;
  assert.equal((await send(path, files('three', 'two'))).status, 200);
  await berth.eventsUntil(started, /revision 2 is running/);
  assert.equal(await page(), 'threetwo');
  assert.match(await logOf(started), /Using cache/);
  await berth.remove(started);
});

test('an agent builds and deploys a map of files with one call, and updates it with the token', options, async () => {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', berth.settings.baseUrl)));
  const call = async (given: Record<string, unknown>) => {
    const { structuredContent, isError, content } = await client.callTool({ name: 'deploy_source', arguments: given });
    assert.ok(!isError, JSON.stringify(content));
    return structuredContent as unknown as Started;
  };
  try {
    const files = { Dockerfile: dockerfile('ENV GREETING=" agent"'), 'server.mjs': serverOf('hello') };
    const started = await call({ name: 'by-agent', files });
    await berth.reach(started, 'running');
    assert.equal((await berth.visit(started.url)).text, 'hello agent');
    const { sessionToken } = started;
    await call({ name: 'by-agent', files: { ...files, 'server.mjs': serverOf('bye') }, sessionToken });
    await berth.eventsUntil(started, /revision 2 is running/);
    assert.equal((await berth.visit(started.url)).text, 'bye agent');
    await berth.remove(started);
  } finally {
    await client.close();
  }
});

test('no build is based on an image of another session', options, async () => {
  const files = { Dockerfile: dockerfile('ENV GREETING=" owner"'), 'server.mjs': serverOf('hello') };
  const owner = await startFrom('owner', files);
  await berth.reach(owner, 'running');
  const refused = await berth.get('/v2/any/name/tags/list', { authorization: `Bearer ${owner.sessionToken}` });
  const [, namespace] = /named localhost:\d+\/(\w+)\//.exec(refused.body.errors[0].message)!;
  const thief = await startFrom('thief', { Dockerfile: `FROM pushed.invalid/${namespace}/web:1\nEXPOSE 3000` });
  const { message } = await berth.reach(thief, 'failed');
  assert.match(message, /does not belong to this application/);
  await berth.remove(owner);
  await berth.remove(thief);
});

test('a build that fails says which step of which pod failed, with its last lines and a fix', options, async () => {
  const started = await startFrom('broken', {
    Dockerfile: dockerfile('COPY package.json ./', 'RUN npm ci'),
    'package.json': '{"name":"broken","version":"1.0.0","dependencies":{"left":"1.0.0"}}',
    'server.mjs': serverOf('never'),
  });
  const { message } = await berth.reach(started, 'failed');
  assert.match(message, /^pod web: the build failed at step 4 of \d+, RUN npm ci \(.*package-lock\.json/);
  assert.match(await logOf(started), /npm ci/);
  await berth.remove(started);
});

test('a source that cannot be deployed is refused with the reason', options, async () => {
  const refusals: [Record<string, string>, RegExp][] = [
    [{ 'README.md': 'hello' }, /A berth\.yaml, a Compose file, Dockerfile/],
    [
      { 'compose.yaml': 'services: {web: {build: ., ports: ["80"]}}', Dockerfile: '# nothing' },
      /Dockerfile has no FROM/,
    ],
    [{ 'compose.yaml': 'services: {web: {image: "${IMAGE:?which}"}}' }, /IMAGE has no value \(which\)/],
  ];
  for (const [files, words] of refusals) {
    const { status, text } = await send('/startUserDeployment?name=nothing', files);
    assert.equal(status, 400, text);
    assert.match(text, words);
  }
  const url = `http://localhost:${berth.settings.port}/startUserDeployment`;
  const headers = { 'content-type': 'application/gzip' };
  const queries: [string, RegExp][] = [
    ['git=https://github.com/a/b', /both an archive and `git`/],
    ['ref=main', /`ref` and `path` require `git`/],
  ];
  for (const [query, words] of queries) {
    const { status, text } = await send(`/startUserDeployment?${query}`, { 'index.html': 'page' });
    assert.equal(status, 400, text);
    assert.match(text, words);
  }
  const hostile = ['ext::sh -c id', 'file:///etc', '--upload-pack=id', 'https://me:hunter22@github.com/a/b'];
  for (const git of [...hostile, 'http://127.0.0.1/a', 'https://127.0.0.1/a', 'https://169.254.169.254/a']) {
    const { status, text } = await berth.visit(`${url}?git=${encodeURIComponent(git)}`, { method: 'POST' });
    assert.ok([400, 502].includes(status), `${git}: ${text}`);
    assert.doesNotMatch(text + berth.log(), /hunter22/);
  }
  const damaged = await berth.visit(url, { method: 'POST', headers, body: Buffer.from('not an archive') });
  assert.deepEqual([damaged.status, damaged.body.code], [400, 'invalid_request']);
});

test('a build whose deployment is removed ends, and one whose service is killed is begun again', options, async () => {
  const slow = { Dockerfile: dockerfile('RUN sleep 3', 'ENV GREETING=" again"'), 'server.mjs': serverOf('slow') };
  const removed = await startFrom('removed', { ...slow, Dockerfile: dockerfile('RUN sleep 600') });
  await until('the build runs', async () => /sleep 600/.test(await logOf(removed)) || undefined);
  await berth.remove(removed);
  const started = await startFrom('again', slow);
  await until('the build runs', async () => /sleep 3/.test(await logOf(started)) || undefined);
  await berth.end('SIGKILL');
  await berth.serve();
  await berth.reach(started, 'running');
  assert.equal((await berth.visit(started.url)).text, 'slow again');
  await berth.remove(started);
  await until('nothing is left of either', async () => (await berth.inventory()).owned.length === 0 || undefined);
});
