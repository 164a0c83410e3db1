import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { readFolder } from '../../folder/read-folder.ts';
import { listSource } from './source-listing.ts';

const place = await realpath(await mkdtemp(join(tmpdir(), 'berth-listing-')));
after(() => rm(place, { recursive: true, force: true }));

const dockerfile = 'FROM node:26-slim\nCOPY . .\nEXPOSE 3000\n';

test('without a .dockerignore, what .gitignore names stays here, except the files that documents name', async () => {
  const listed = await listing('git', {
    '.gitignore': 'node_modules\n.env\ndata\nsecret.txt\n',
    '.env': 'A=1\n',
    'secret.txt': '',
    'compose.yaml':
      'services:\n  web: { build: ./web, ports: ["80:3000"], environment: { A: "${A}" }, volumes: ["./data:/data:ro"] }\n',
    'data/page.html': '',
    'web/Dockerfile': dockerfile,
    'web/server.js': '',
    'web/node_modules/x.js': '',
    '.git/config': '',
  });
  assert.deepEqual(listed, [
    ...['.env', '.gitignore', 'compose.yaml', 'data/page.html'],
    ...['web/Dockerfile', 'web/server.js'],
  ]);
});

test('the .dockerignore of a context decides about its files, and about no other context in it', async () => {
  const listed = await listing('docker', {
    '.gitignore': 'dist\nworker/cache\n',
    '.dockerignore': 'node_modules\nDockerfile\nworker\n',
    Dockerfile: dockerfile,
    'compose.yaml': 'services:\n  web: { build: ., ports: ["80:3000"] }\n  worker: { build: ./worker }\n',
    'dist/server.js': '',
    'node_modules/x.js': '',
    'worker/Dockerfile': dockerfile,
    'worker/cache/x': '',
    'worker/run.js': '',
  });
  assert.deepEqual(listed, [
    ...['.dockerignore', '.gitignore', 'Dockerfile', 'compose.yaml', 'dist/server.js'],
    ...['worker/Dockerfile', 'worker/run.js'],
  ]);
});

test('exceptions of a .dockerignore are listed', async () => {
  const listed = await listing('exceptions', {
    '.dockerignore': '*\n!src\nsrc/*.log\n',
    Dockerfile: dockerfile,
    'README.md': '',
    'src/server.js': '',
    'src/a.log': '',
  });
  assert.deepEqual(listed, ['.dockerignore', 'Dockerfile', 'src/server.js']);
});

async function listing(name: string, files: Record<string, string>): Promise<string[]> {
  const folder = join(place, name);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const project = await readFolder(folder);
  assert.deepEqual(project.refusals, []);
  const entries = await listSource(project);
  return entries.filter(({ kind }) => kind === 'file').map(({ path }) => path);
}
