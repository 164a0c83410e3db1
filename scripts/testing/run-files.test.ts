/** Reports of `npm test` on files that misbehave, each run in a process. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runFiles } from './run-files.ts';

const sources = {
  good: `test('one', () => {}); describe('two', () => { test('inner', async (t) => { await t.test('sub', () => {}); }); });`,
  hooks: `let made = 0; before(() => { made = 1; }); test('sees it', () => { if (made !== 1) throw new Error('no hook'); });`,
  skips: `test('later', { skip: 'not here' }, () => {}); test('now', () => {});`,
  fails: `test('wrong', () => { throw new Error('wrong, in words'); }); test('right', () => {});`,
  hookless: `describe('broken', () => { before(() => { throw new Error('no stage'); }); test('never', () => {}); });`,
  empty: ``,
  unloadable: `throw new Error('cannot be loaded');`,
  hangs: `test('waits for ever', () => new Promise((resolve) => setTimeout(resolve, 2 ** 30))); test('goes on', () => {});`,
  spins: `test('never ends', () => { for (;;); });`,
  leaves: `test('fine', () => {}); setInterval(() => {}, 1000);`,
  dies: `test('fine', () => {}); test('gone', () => process.kill(process.pid, 'SIGKILL'));`,
  strays: `test('in a timer', async () => { setTimeout(() => { throw new Error('late'); }); await later(50); });
    test('in a promise', async () => { void later(5).then(() => { throw new Error('unseen'); }); await later(50); });
    describe('side by side', { concurrency: 2 }, () => {
      test('in a microtask', async () => { await later(1); queueMicrotask(() => { throw new Error('sudden'); }); await later(50); });
      test('next to it', async () => { await later(1); await later(50); });
    });`,
  belated: `test('ended', () => { setTimeout(() => { throw new Error('too late'); }, 5); }); test('then', () => later(50));`,
  deferred: `describe('suite', async () => { await later(1); test('inner', async () => {
      await later(1); await test('deep', async () => { await later(1); await test('deepest', () => {}); }); }); });`,
  exits: `test('fine', () => {}); test('gone', () => process.exit(0));`,
};
type Name = keyof typeof sources;

let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-files-'));
  const imports = `import { after, before, describe, test } from 'node:test';
    import { setTimeout as later } from 'node:timers/promises';\n`;
  for (const [name, source] of Object.entries(sources))
    await writeFile(join(root, `${name}.test.mjs`), imports + source);
});
after(() => rm(root, { recursive: true }));

/** The result of each, as one line. */
async function outcome(names: Name[], timeoutMs = 600_000): Promise<string[]> {
  const { reports } = await runFiles(
    names.map((name) => `${name}.test.mjs`),
    { root, timeoutMs },
  );
  return reports.map(
    ({ file, passed, skipped, skips, failures }) =>
      `${file.split('.')[0]}: ${passed} passed, ${skipped} skipped${[...skips.map(({ name, reason }) => `, ${name}: ${reason}`), ...failures.map((name) => `, ${name}`)].join('')}`,
  );
}

test('alone or together, a file has the same tests', async () => {
  const names = ['good', 'skips', 'hooks', 'deferred'] as const;
  const alone = (await Promise.all(names.map((name) => outcome([name])))).flat();
  assert.deepEqual(alone, [
    'good: 3 passed, 0 skipped',
    'skips: 1 passed, 1 skipped, later: not here',
    'hooks: 1 passed, 0 skipped',
    'deferred: 3 passed, 0 skipped',
  ]);
  assert.deepEqual(await outcome([...names]), alone);
});

test('an uncaught error counts for its test, also if several run at once', async () => {
  const failed = 'strays: 1 passed, 0 skipped, in a timer, in a promise, in a microtask';
  assert.deepEqual(await outcome(['strays']), [failed]);
});

test('an error after the end of its test is a failure of its file', async () => {
  assert.match((await outcome(['belated']))[0]!, /^belated: 2 passed, 0 skipped, .*\(1\)/);
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

  test(`${how}: a file that hangs is ended and named`, async () => {
    // On a slow machine, the whole file times out before the test does.
    assert.match((await of('hangs', 4_000))!, /^hangs: [01] passed, 0 skipped, (waits for ever|it)/);
    assert.match((await of('spins', 4_000))!, /^spins: 0 passed, 0 skipped, .*it hangs/);
    // The runner detects an open handle, but not its owner.
    assert.match((await outcome(['leaves', ...others], 4_000)).join(), /it hangs/);
  });

  test(`${how}: a process that ends before its tests is a failure`, async () => {
    // The last reports may be lost with the process.
    assert.match((await of('dies'))!, /^dies: [01] passed, 0 skipped, .*its process ended too early \(SIGKILL\)/);
    assert.match((await of('exits'))!, /^exits: [01] passed, 0 skipped, ./);
  });
}

test('failures are readable', async () => {
  const { output } = await runFiles(['fails.test.mjs'], { root, timeoutMs: 600_000 });
  assert.match(output, /wrong, in words/);
});
