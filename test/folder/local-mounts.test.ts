import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readFolder } from '../../src/folder/read-folder.ts';
import { makeFolder, mounting, read, web } from '../support/project-folder.ts';

const dockerfile = 'FROM node:26-slim\nWORKDIR /code\nCOPY . .\n';

test('small texts that are mounted travel in the document, keys as secrets', async (t) => {
  const { pod, project } = await read(t, {
    'compose.yaml': mounting('nginx:1.29', './site.conf:/etc/nginx/conf.d/default.conf:ro', './certs:/certs'),
    'site.conf': 'server {}\n',
    'certs/a.key': 'key\n',
    'certs/a.crt': 'crt\n',
  });
  assert.deepEqual(
    pod('web').files.map(({ path, isSecret }) => [path, isSecret]),
    [
      ['/certs/a.key', true],
      ['/etc/nginx/conf.d/default.conf', false],
      ['/certs/a.crt', false],
    ],
  );
  assert.deepEqual(project.images, []);
});

test('programs, bytes and large folders become layers above the image', async (t) => {
  const { pod, project } = await read(t, {
    'compose.yaml': mounting(
      'nginx:1.29',
      './html:/usr/share/nginx/html',
      './start.sh:/start.sh',
      './logo.png:/logo.png',
    ),
    'html/index.html': '<p>',
    'html/big.js': 'x'.repeat(100_000),
    'start.sh': { program: '#!/bin/sh\n' },
    'logo.png': Buffer.from([0x89, 0, 1]),
  });
  assert.equal(pod('web').image, './web/nginx:1.29');
  const [image] = project.images;
  assert.deepEqual(image?.base, { kind: 'image', image: 'nginx:1.29' });
  assert.deepEqual(
    image?.layers.map(({ from, kind, to }) => [from.slice(project.folder.length), kind, to]),
    [
      ['/html', 'folder', '/usr/share/nginx/html'],
      ['/start.sh', 'file', '/start.sh'],
      ['/logo.png', 'file', '/logo.png'],
    ],
  );
});

test('a small folder hides what the image has in its place; where it does not, that is said', async (t) => {
  const files = {
    'conf/shop.conf': 'server {}\n',
    'init/a.sql': 'select 1;\n',
    'certs/a.key': 'key\n',
    'rules/a.yml': 'a: 1\n',
  };
  const { project, pod, noted } = await read(t, {
    ...files,
    'compose.yaml': mounting(
      'nginx:1.29',
      './conf:/etc/nginx/conf.d',
      './certs:/etc/nginx/certs',
      './init:/docker-entrypoint-initdb.d',
      './rules:/rules',
    ),
  });
  assert.deepEqual(
    project.images[0]?.layers.map(({ kind, to }) => [kind, to]),
    [['folder', '/etc/nginx/conf.d']],
  );
  assert.deepEqual(
    pod('web').files.map(({ path, isSecret }) => [path, isSecret]),
    [
      ['/etc/nginx/certs/a.key', true],
      ['/docker-entrypoint-initdb.d/a.sql', false],
      ['/rules/a.yml', false],
    ],
  );
  assert.equal(noted.filter((one) => one.startsWith('files-inline')).length, 2);

  const built = await read(t, {
    ...files,
    'compose.yaml': web('build: ./app', 'volumes: ["./rules:/rules"]'),
    'app/Dockerfile': dockerfile,
  });
  assert.deepEqual(
    built.project.images[0]?.layers.map(({ to }) => to),
    ['/rules'],
  );
});

test('a database with a layer is still known as that database', async (t) => {
  const { pod, noted } = await read(t, {
    'compose.yaml': `services:
  web: { image: 'nginx:1.29', ports: [80] }
  db:
    image: postgres:18
    environment: { POSTGRES_PASSWORD: x7Hq2 }
    volumes: ['data:/var/lib/postgresql/data', './seed.sh:/docker-entrypoint-initdb.d/seed.sh']
volumes: { data: }
`,
    'seed.sh': { program: '#!/bin/sh\n' },
  });
  assert.equal(pod('db').image, './db/postgres:18');
  assert.deepEqual(pod('db').servicePorts, [5432]);
  assert.ok(
    noted.some((one) => one.startsWith('volume-path')),
    'its version is known too',
  );
});

test('source that is mounted over an image built with it is left out, and so are folders that hide those of the laptop', async (t) => {
  const { project, pod, noted } = await read(t, {
    'compose.yaml': `${web('build: ./app', "volumes: ['./app:/code', /code/node_modules, 'cache:/cache']")}volumes: { cache: }\n`,
    'app/Dockerfile': dockerfile,
    'app/index.js': '',
  });
  assert.deepEqual(project.images[0]?.layers, []);
  assert.deepEqual(pod('web').files, []);
  assert.deepEqual(
    pod('web').volumes.map(({ mountPath }) => mountPath),
    ['/cache'],
  );
  assert.deepEqual(
    noted.filter((one) => one.includes('left-out')),
    ['made-folder-left-out compose.yaml:5:30', 'source-mount-left-out compose.yaml:5:15'],
  );
});

test('source that the Dockerfile does not copy there becomes a layer, without what a volume hides', async (t) => {
  const { project } = await read(t, {
    'compose.yaml': `${web('build: ./app', "volumes: ['./app:/srv', 'm:/srv/uploads']")}volumes: { m: }\n`,
    'app/Dockerfile': 'FROM node:26-slim\nCOPY package.json /srv/\n',
    'app/package.json': '{}',
    'app/index.js': { program: '#!/usr/bin/env node\n' },
  });
  const layers = project.images[0]?.layers.map(({ to, except }) => [to, except]);
  assert.deepEqual(layers, [['/srv', ['uploads']]]);
});

test('data folders become volumes that start empty, and contain the local data only on request', async (t) => {
  const files = {
    'compose.yaml': `services:
  web: { image: 'nginx:1.29', ports: [80], volumes: ['./uploads:/srv/uploads', '~/cache:/cache'] }
  db:
    image: postgres:17
    environment: { POSTGRES_PASSWORD: x7Hq2 }
    volumes: ['./pg:/var/lib/postgresql/data']
`,
    'pg/PG_VERSION': '17\n',
    'uploads/a.png': Buffer.from([0, 1]),
  };
  const { pod, project, noted } = await read(t, files, { environment: { HOME: '/home/nobody-here' } });
  assert.deepEqual(project.refusals, []);
  assert.deepEqual(
    pod('db').volumes.map(({ mountPath }) => mountPath),
    ['/var/lib/postgresql/data'],
  );
  assert.deepEqual(
    pod('web').volumes.map(({ mountPath }) => mountPath),
    ['/srv/uploads', '/cache'],
  );
  assert.deepEqual(project.images, []);
  assert.equal(noted.filter((one) => one.startsWith('data-folder')).length, 3);

  const filled = await read(t, files, { fill: ['db'] });
  assert.deepEqual(
    filled.project.fills.map(({ service, mountPath }) => [service, mountPath]),
    [['db', '/var/lib/postgresql/data']],
  );
  assert.deepEqual(
    filled.project.images.map(({ name, layers }) => [name, layers.length]),
    [['./db/postgres:17', 1]],
  );
});

test('configs and secrets come from files and variables; binary ones become a layer', async (t) => {
  const { pod, project } = await read(
    t,
    {
      'compose.yaml': `${web('image: nginx:1.29', 'configs: [text, { source: bytes, target: /etc/bytes }]', 'secrets: [token, password]')}configs:
  text: { file: ./text.conf }
  bytes: { file: ./bytes.bin }
secrets:
  token: { environment: TOKEN }
  password: { file: ./password.txt }
`,
      'text.conf': 'a',
      'bytes.bin': Buffer.from([0]),
      'password.txt': 'p$w',
    },
    { values: { TOKEN: 't$k' } },
  );
  assert.deepEqual(
    pod('web').files.map(({ path, content }) => [path, content]),
    [
      ['/run/secrets/token', 't$k'],
      ['/run/secrets/password', 'p$w'],
      ['/text', 'a'],
    ],
  );
  assert.deepEqual(
    project.images[0]?.layers.map(({ to }) => to),
    ['/etc/bytes'],
  );
});

test('as much travels in the document as it may hold, and the rest as layers', async (t) => {
  const files: Record<string, string> = {};
  const mounts = Array.from({ length: 8 }, (_, index) => {
    files[`f${index}.txt`] = `${index}`.repeat(40_000);
    return `./f${index}.txt:/f${index}.txt`;
  });
  const { project, pod } = await read(t, { 'compose.yaml': mounting('nginx:1.29', ...mounts), ...files });
  assert.deepEqual(project.refusals, []);
  assert.ok(pod('web').files.length > 0);
  assert.equal(pod('web').files.length + (project.images[0]?.layers.length ?? 0), 8);
  assert.ok(Buffer.byteLength(project.document) < 256 * 1024);
});

test('a volume that stands for a folder of the host is a volume', async (t) => {
  const folder = makeFolder(t, {
    'compose.yaml': `${mounting('nginx:1.29', 'data:/data')}volumes:\n  data: { driver: local, driver_opts: { type: none, o: bind, device: ./data } }\n`,
  });
  mkdirSync(join(folder, 'data'));
  assert.deepEqual((await readFolder(folder)).refusals, []);
});
