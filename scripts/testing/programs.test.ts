import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { madeFile } from './made-file.ts';
import { makePrograms, refuseMovingMeta, withOrigin } from './programs.ts';

const run = promisify(execFile);
/** Split, because the bundler would replace the words in this module. */
const meta = ['import', 'meta'].join('.');
const folderName = ['__dir', 'name'].join('');
const sources = {
  'program.ts': `
import { readFileSync } from 'node:fs';
import { folder, url, isStarted } from './module.ts';
import old from './old.cjs';
type Unused = string;
if (${meta}.main) {
  const words: string = readFileSync(new URL('./words.txt', ${meta}.url), 'utf8');
  const { later } = await import('./later.ts');
  console.log(JSON.stringify([folder, url, isStarted, old.folder, ${meta}.dirname, words, later, process.argv[2]]));
}`,
  'module.ts': `export const [folder, url, isStarted] = [${meta}.dirname, ${meta}.url, ${meta}.main];`,
  'later.ts': `export const later = 'later';`,
  'old.cjs': `'use strict';\nmodule.exports = { folder: ${folderName} };`,
  'words.txt': 'the words',
  'count.ts': 'let count = 0;\nexport const counted = () => ++count;',
  'first.ts': `
import { counted } from './count.ts';
export const first = counted();
if (${meta}.main) console.log(\`counted \${first}, started \${${meta}.main}\`);
export const isStarted = ${meta}.main;`,
  'second.ts': `
import { counted } from './count.ts';
import { isStarted } from './first.ts';
console.log(\`counted \${counted()}, started \${isStarted}\`);`,
  'server.ts': `
import http, { createServer } from 'node:http';
const loaded = (process as unknown as { moduleLoadList: string[] }).moduleLoadList;
console.log(http.createServer === createServer, loaded.some((name) => name.includes('undici')));`,
};

let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-programs-'));
  for (const [name, text] of Object.entries(sources)) await writeFile(join(root, name), text);
});
after(() => rm(root, { recursive: true }));

test('a bundled program prints and finds the same as its sources', async () => {
  const made = join(root, 'made');
  await makePrograms(root, made, ['program.ts']);
  const said = async (file: string) => (await run(process.execPath, [file, 'argument'])).stdout;
  const ofSources = await said(join(root, 'program.ts'));
  assert.match(ofSources, /"the words","later","argument"/);
  assert.equal(await said(madeFile(made, 'program.ts')), ofSources);
});

test('shared code of two programs exists once, and each knows whether it was started', async () => {
  const made = join(root, 'made');
  await makePrograms(root, made, ['first.ts', 'second.ts']);
  const said = async (file: string) => (await run(process.execPath, [madeFile(made, file)])).stdout;
  assert.equal(await said('first.ts'), 'counted 1, started true\n');
  assert.equal(await said('second.ts'), 'counted 2, started false\n');
});

test('a program that imports node:http does not load the client for the web with it', async () => {
  const made = join(root, 'made');
  await makePrograms(root, made, ['server.ts']);
  assert.equal((await run(process.execPath, [madeFile(made, 'server.ts')])).stdout, 'true false\n');
});

test('a module that sets its own folder keeps it', () => {
  const own = "const __dirname = '/own';";
  assert.equal(withOrigin(own, '/from/module.ts'), own);
});

test(`a module that passes ${meta} on cannot be bundled, because its relative paths would be wrong`, async () => {
  const made = join(root, 'made');
  await writeFile(join(root, 'moving.ts'), `import { open } from './opening.ts';\nopen(${meta}, 'words.txt');`);
  await writeFile(join(root, 'opening.ts'), 'export const open = (...words: unknown[]) => console.log(words);');
  await assert.rejects(makePrograms(root, made, ['moving.ts']), /moving\.ts: write import\.meta\.dirname/);
  assert.throws(() => refuseMovingMeta(`${meta}.resolve('./words.txt')`, 'a.ts'), /a\.ts/);
  assert.doesNotThrow(() => refuseMovingMeta(`/** Uses ${meta}. */\nconst at = ${meta}.dirname;`, 'a.ts'));
});
