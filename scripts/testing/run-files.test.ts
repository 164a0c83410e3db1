/** What `npm test` says of files that do not behave, each tried as it is run: by a process. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runFiles } from './run-files.ts';

const sources = {
  good: `test('one', () => {}); describe('two', () => { test('inner', async (t) => { await t.test('sub', () => {}); }); });`,
  hooks: `let made = 0; before(() => { made = 1; }); test('sees it', () => { if (made !== 1) throw new Error('no hook'); });`,
  skips: `test('later', { skip: true }, () => {}); test('now', () => {});`,
  fails: `test('wrong', () => { throw new Error('wrong, in words'); }); test('right', () => {});`,
  hookless: `describe('broken', () => { before(() => { throw new Error('no stage'); }); test('never', () => {}); });`,
  empty: ``,
  unloadable: `throw new Error('cannot be loaded');`,
  hangs: `test('waits for ever', () => new Promise((resolve) => setTimeout(resolve, 2 ** 30))); test('goes on', () => {});`,
  spins: `test('never ends', () => { for (;;); });`,
  leaves: `test('fine', () => {}); setInterval(() => {}, 1000);`,
  dies: `test('fine', () => {}); test('gone', () => process.kill(process.pid, 'SIGKILL'));`,
  exits: `test('fine', () => {}); test('gone', () => process.exit(0));`,
};
type Name = keyof typeof sources;

let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-files-'));
  const hooks = `import { after, before, describe, test } from 'node:test';\n`;
  for (const [name, source] of Object.entries(sources)) await writeFile(join(root, `${name}.test.mjs`), hooks + source);
});
after(() => rm(root, { recursive: true }));

/** What came of each, as one line. */
async function outcome(names: Name[], timeoutMs = 600_000): Promise<string[]> {
  const { reports } = await runFiles(
    names.map((name) => `${name}.test.mjs`),
    { root, timeoutMs },
  );
  return reports.map(
    ({ file, passed, skipped, failures }) =>
      `${file.split('.')[0]}: ${passed} passed, ${skipped} skipped${failures.map((name) => `, ${name}`).join('')}`,
  );
}

test('alone or together, a file has the same tests', async () => {
  const alone = (await Promise.all([outcome(['good']), outcome(['skips']), outcome(['hooks'])])).flat();
  assert.deepEqual(alone, ['good: 3 passed, 0 skipped', 'skips: 1 passed, 1 skipped', 'hooks: 1 passed, 0 skipped']);
  assert.deepEqual(await outcome(['good', 'skips', 'hooks']), alone);
});

for (const [how, others] of [
  ['alone', []],
  ['with others', ['good']],
] as const) {
  const of = async (name: Name, timeoutMs?: number) => (await outcome([name, ...others], timeoutMs))[0];
  const rest = async (name: Name, timeoutMs?: number) => (await outcome([name, ...others], timeoutMs)).slice(1);
  const isWell = others.map(() => 'good: 3 passed, 0 skipped');

  test(`${how}: a test that fails is named, and the others run`, async () => {
    assert.equal(await of('fails'), 'fails: 1 passed, 0 skipped, wrong');
    assert.deepEqual(await rest('fails'), isWell);
  });

  test(`${how}: a hook that fails, a file without a test and one that cannot be loaded are failures`, async () => {
    assert.match((await of('hookless'))!, /^hookless: 0 passed, 0 skipped, (never|broken)/);
    assert.equal(await of('empty'), 'empty: 0 passed, 0 skipped, it contains no test');
    assert.match((await of('unloadable'))!, /^unloadable: 0 passed, 0 skipped, /);
    assert.deepEqual(await rest('unloadable'), isWell);
  });

  test(`${how}: a file that hangs is ended, whatever it does, and said to be the one`, async () => {
    // On a machine that takes its time the file as a whole is given up before the test is.
    assert.match((await of('hangs', 4_000))!, /^hangs: [01] passed, 0 skipped, (waits for ever|it)/);
    assert.match((await of('spins', 4_000))!, /^spins: 0 passed, 0 skipped, .*it hangs/);
    // Whose it is that is left open nobody can tell, only when.
    assert.match((await outcome(['leaves', ...others], 4_000)).join(), /it hangs/);
  });

  test(`${how}: a process that ends before its tests is a failure`, async () => {
    // What was told at the very end may be lost with it.
    assert.match((await of('dies'))!, /^dies: [01] passed, 0 skipped, .*its process ended too early \(SIGKILL\)/);
    assert.match((await of('exits'))!, /^exits: [01] passed, 0 skipped, ./);
  });
}

test('what failed can be read', async () => {
  const { output } = await runFiles(['fails.test.mjs'], { root, timeoutMs: 600_000 });
  assert.match(output, /wrong, in words/);
});
