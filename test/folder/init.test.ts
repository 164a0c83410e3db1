/** `berth init` in folders of several kinds; what it writes is what `berth up` then reads. */
import assert from 'node:assert/strict';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { run } from '../../src/cli/run.ts';
import { parseConfiguration } from '../../src/config/parse.ts';
import { readFolder } from '../../src/folder/read-folder.ts';
import { makeFolder, type Written } from '../support/project-folder.ts';

async function init(t: TestContext, written: Record<string, Written>, words: string[] = []) {
  const folder = makeFolder(t, written);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const signal = new AbortController().signal;
  const streams = { stdin: new PassThrough(), stdout, stderr, env: {} };
  const status = await run(['init', ...words], { ...streams, folder, signal });
  const said = `${stdout.read() ?? ''}${stderr.read() ?? ''}`;
  const project = await readFolder(folder);
  const base = project.images[0]?.base;
  return {
    folder,
    status,
    said,
    project,
    names: readdirSync(folder).sort(),
    text: (name: string) => readFileSync(join(folder, name), 'utf8'),
    /** Where the document says that the only pod listens; it has to be one that can go up. */
    port() {
      assert.deepEqual([project.form, project.refusals, project.questions], ['native', [], []]);
      assert.equal(base?.kind === 'build' && base.build.context, project.folder);
      const parsed = parseConfiguration(project.document);
      assert.ok(parsed.kind === 'valid');
      return parsed.spec.pods[0]?.servicePorts[0];
    },
  };
}

test('a Dockerfile gets a document with its port', async (t) => {
  const { status, names, port, said } = await init(t, {
    Dockerfile: 'FROM node:26-slim\nEXPOSE 4000\n',
    '.env': 'A=1\n',
  });
  assert.deepEqual([status, names, port()], [0, ['.env', 'Dockerfile', 'berth.yaml'], 4000]);
  assert.match(said, /wrote +berth\.yaml[\s\S]*berth up/);
});

test('a Dockerfile that says no port gets a guess that is called one', async (t) => {
  const { port, said, text } = await init(t, { Dockerfile: 'FROM node:26-slim\n' });
  assert.equal(port(), 3000);
  assert.match(said, /guess/);
  assert.match(text('berth.yaml'), /# a guess/);
});

test('a program of Node is started by its script, on the port that its source names', async (t) => {
  const { names, port, text } = await init(t, {
    'package.json': '{"scripts":{"start":"node src/main.js"},"dependencies":{"express":"5"}}',
    'package-lock.json': '{}',
    'src/main.js': 'const port = process.env.PORT || 4321;\napp.listen(port);\n',
  });
  assert.deepEqual(names, ['.dockerignore', 'Dockerfile', 'berth.yaml', 'package-lock.json', 'package.json', 'src']);
  assert.equal(port(), 4321);
  assert.match(text('Dockerfile'), /npm ci --omit=dev[\s\S]*EXPOSE 4321\nCMD \["npm","start"\]/);
  assert.match(text('.dockerignore'), /^\.env$[\s\S]*^node_modules$/m);
});

test('a site that a script builds is built, and then only served', async (t) => {
  const { port, text } = await init(t, {
    'package.json': '{"scripts":{"start":"vite","build":"vite build"},"devDependencies":{"vite":"7"}}',
    'index.html': '<div>',
  });
  assert.equal(port(), 80);
  assert.match(
    text('Dockerfile'),
    /AS build[\s\S]*npm run build[\s\S]*FROM nginx:1\n[\s\S]*COPY --from=build \/app\/dist /,
  );
});

test('pages are served as they are', async (t) => {
  const { port, text } = await init(t, { 'public/index.html': '<p>', 'package.json': 'no JSON' });
  assert.equal(port(), 80);
  assert.match(text('Dockerfile'), /COPY public \/usr\/share\/nginx\/html/);
});

test('programs of Python are started as their framework wants it', async (t) => {
  const commands: [string, Record<string, Written>][] = [
    ['["uvicorn","main:app","--host","0.0.0.0","--port","8000"]', { 'requirements.txt': 'fastapi\n', 'main.py': '' }],
    ['["gunicorn","-b","0.0.0.0:8000","app:app"]', { 'requirements.txt': 'Flask\ngunicorn\n', 'app.py': '' }],
    [
      '["gunicorn","-b","0.0.0.0:8000","shop.wsgi"]',
      { 'pyproject.toml': '["django", "gunicorn"]', 'manage.py': '', 'shop/wsgi.py': '' },
    ],
    ['["python","server.py"]', { 'requirements.txt': 'aiohttp\n', 'server.py': 'run(port=8000)' }],
  ];
  for (const [command, files] of commands) {
    const { port, text } = await init(t, files);
    assert.equal(port(), 8000, command);
    assert.ok(text('Dockerfile').includes(`CMD ${command}`), text('Dockerfile'));
  }
});

test('a Compose file is left to berth up, and a document that is there is not touched', async (t) => {
  const compose = await init(t, {
    'compose.yaml': 'services: { web: { image: "nginx:1", ports: [80] } }\n',
    Dockerfile: 'FROM a\n',
  });
  assert.deepEqual([compose.status, compose.names], [0, ['Dockerfile', 'compose.yaml']]);
  assert.match(compose.said, /berth up.* takes compose\.yaml as it is/);
  const native = await init(t, { 'nexlayer.yaml': 'mine\n', Dockerfile: 'FROM a\n' });
  assert.deepEqual([native.status, native.text('nexlayer.yaml'), native.names.length], [1, 'mine\n', 2]);
});

test('nothing is written where nothing is found, nor through a link, nor above what is there', async (t) => {
  const empty = await init(t, { 'notes.txt': 'a' });
  assert.deepEqual([empty.status, empty.names], [1, ['notes.txt']]);
  const kept = await init(t, { 'index.html': '', '.dockerignore': 'mine\n' });
  assert.equal(kept.text('.dockerignore'), 'mine\n');
  const linked = await init(t, { 'index.html': '', '.dockerignore': { link: '../elsewhere' } });
  assert.ok(lstatSync(join(linked.folder, '.dockerignore')).isSymbolicLink());
  assert.ok(!readdirSync(join(linked.folder, '..')).includes('elsewhere'));
});

test('any name of a folder becomes one of an application, and the result can be read by programs', async (t) => {
  const { said, status } = await init(t, { 'index.html': '' }, ['--json']);
  assert.equal(status, 0);
  assert.deepEqual(JSON.parse(said), {
    found: 'index.html',
    port: 80,
    isGuess: false,
    written: ['Dockerfile', '.dockerignore', 'berth.yaml'],
  });
});
