import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { makePrograms, withOrigin } from './programs.ts';

const run = promisify(execFile);
const sources = {
  'program.ts': `
import { readFileSync } from 'node:fs';
import { folder, url, isStarted } from './module.ts';
import old from './old.cjs';
type Unused = string;
if (import.meta.main) {
  const words: string = readFileSync(new URL('./words.txt', import.meta.url), 'utf8');
  const { later } = await import('./later.ts');
  console.log(JSON.stringify([folder, url, isStarted, old.folder, import.meta.dirname, words, later, process.argv[2]]));
}`,
  'module.ts': `export const [folder, url, isStarted] = [import.meta.dirname, import.meta.url, import.meta.main];`,
  'later.ts': `export const later = 'later';`,
  'old.cjs': `'use strict';\nmodule.exports = { folder: __dirname };`,
  'words.txt': 'the words',
};

let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-programs-'));
  for (const [name, text] of Object.entries(sources)) await writeFile(join(root, name), text);
});
after(() => rm(root, { recursive: true }));

test('a program that was made one file says and finds what its sources do', async () => {
  const made = join(root, 'made');
  await makePrograms(root, made, ['program.ts']);
  const said = async (file: string) => (await run(process.execPath, [file, 'argument'])).stdout;
  const ofSources = await said(join(root, 'program.ts'));
  assert.match(ofSources, /"the words","later","argument"/);
  assert.equal(await said(join(made, 'program.ts.mjs')), ofSources);
});

test('a module that names its folder itself keeps that', () => {
  const own = "const __dirname = '/own';";
  assert.equal(withOrigin(own, '/from/module.ts', false), own);
});
