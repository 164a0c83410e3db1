import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read, web } from '../support/project-folder.ts';

const manifest = JSON.stringify({ scripts: { dev: 'vite --host' }, devDependencies: { vite: '^7.0.0' } });
const dockerfile = 'FROM node:26-slim\nWORKDIR /app\nCOPY . .\nEXPOSE 5173\nCMD ["npm", "run", "dev"]\n';
const isReported = (noted: readonly string[]) => noted.some((note) => note.startsWith('dev-server-host'));

test('a public development server is reported, with its command in any place', async (t) => {
  const built = await read(t, { 'compose.yaml': web('build: .'), Dockerfile: dockerfile, 'package.json': manifest });
  assert.deepEqual(built.noted, ['dev-server-host compose.yaml:2:3']);
  assert.match(built.project.notes[0]?.hint ?? '', /<% HOST %>/);
  const mounted = await read(t, {
    'compose.yaml': web('image: node:26-slim', 'working_dir: /app', 'command: npm run dev', "volumes: ['./:/app']"),
    'package.json': manifest,
  });
  assert.ok(mounted.noted.includes('dev-server-host compose.yaml:6:14'), mounted.noted.join());
  const alone = await read(t, { Dockerfile: dockerfile, 'package.json': manifest });
  assert.deepEqual(alone.noted, ['dev-server-host Dockerfile:1:1']);
});

test('a dev server gets no note if it is private, allows the host, or is replaced by another program', async (t) => {
  const files = { Dockerfile: dockerfile, 'package.json': manifest };
  const inside = `${web('image: nginx:1.29', 'depends_on: [dev]')}  dev: { build: . }\n`;
  assert.ok(!isReported((await read(t, { ...files, 'compose.yaml': inside })).noted));
  const knowing = web('build: .', 'environment: ["__VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS=<% HOST %>"]');
  assert.ok(!isReported((await read(t, { ...files, 'compose.yaml': knowing })).noted));
  const other = web('build: .', 'command: node server.js');
  assert.ok(!isReported((await read(t, { ...files, 'compose.yaml': other })).noted));
});
