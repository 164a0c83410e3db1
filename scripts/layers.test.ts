import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { importRules, layers, rulesFile } from './layers.ts';

const root = join(import.meta.dirname, '..');
const biome = join(root, 'node_modules/.bin/biome');

test('the import rules of the linter match the table of layers', async () => {
  const written: unknown = JSON.parse(await readFile(rulesFile, 'utf8'));
  assert.ok(isDeepStrictEqual(written, importRules()), 'run `npm run layers`');
});

test('every folder of the sources is a layer of the table', async () => {
  const entries = await readdir(join(root, 'src'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  assert.deepEqual(folders.sort(), Object.keys(layers).sort());
});

test('an import that points up, and a floating promise, do not pass the linter', async (t) => {
  const text = [
    "import { startLoop } from '../control/loop.ts';",
    "import { serve } from '../main.ts';",
    'async function later() {',
    '  return [serve, startLoop];',
    '}',
    'later();',
  ].join('\n');
  const found = await lintOf(t, { 'src/store/wrong.ts': text });
  assert.equal(found.match(/store may not import this/g)?.length, 2, found);
  assert.match(found, /noFloatingPromises/);
});

test('an engine may not import another one, and shared code of engines may not import an engine', async (t) => {
  const wrong = "import { plan } from '../docker/plan.ts';\n\nexport const planned = plan;\n";
  const right = wrong.replace('../docker', '.');
  const files = { kubernetes: wrong, memory: wrong, readiness: wrong, docker: right };
  const found = await lintOf(
    t,
    Object.fromEntries(Object.entries(files).map(([folder, text]) => [`src/engine/${folder}/planned.ts`, text])),
  );
  assert.equal(found.match(/engines are guests/g)?.length, 3, found);
  assert.doesNotMatch(await lintOf(t, { 'src/engine/open.ts': wrong.replace('..', '.') }), /engines are guests/);
});

test('only tests may import files of the test folder', async (t) => {
  const text = "import { pod } from '../../test/support/deployments.ts';\n\nexport const shop = pod('shop');\n";
  for (const layer of ['config', 'store']) {
    const files = { [`src/${layer}/wrong.ts`]: text, [`src/${layer}/right.test.ts`]: text };
    const found = await lintOf(t, files);
    assert.equal(found.match(/only tests may import/g)?.length, 1, found);
    assert.match(found, /wrong\.ts/);
  }
  assert.match(await lintOf(t, { 'src/wrong.ts': text.replace('../..', '..') }), /only tests may import/);
});

/** The linter's output for a project with these files. */
async function lintOf(t: TestContext, files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-lint-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  for (const file of ['biome.json', 'biome.layers.json', '.gitignore']) await cp(join(root, file), join(folder, file));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(folder, dirname(file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  const linter = spawn(biome, ['lint', '.'], { cwd: folder });
  const [found] = await Promise.all([readText(linter.stderr), once(linter, 'close')]);
  return found;
}
