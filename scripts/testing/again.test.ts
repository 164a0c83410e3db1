import assert from 'node:assert/strict';
import { test } from 'node:test';
import { againAlone, closingLines, triedAgain } from './again.ts';
import type { FileReport } from './verdict.ts';

const report = (file: string, failures: string[] = []): FileReport => ({
  file,
  tookMs: 1,
  processorMs: 1,
  passed: 2 - failures.length,
  skipped: 0,
  skips: [],
  failures,
});

test('a test that fails with others and passes alone counts as passed, and is named as unsteady', async () => {
  const first = [report('a'), report('b', ['one'])];
  const { reports, unsteady } = await againAlone(first, async (file) => [report(file)]);
  assert.deepEqual([reports, unsteady], [[report('a'), report('b')], ['b: one']]);
  assert.deepEqual(closingLines(reports, unsteady), [
    '↻ b: one (failed next to other files, passed alone: unsteady)',
    '4 passed, 0 failed, 0 skipped, 1 of the passed only alone',
  ]);
});

test('a test that fails twice has failed', async () => {
  const { reports, unsteady } = await againAlone([report('b', ['one'])], async (file) => [report(file, ['other'])]);
  assert.deepEqual(closingLines(reports, unsteady), ['✖ b: other', '1 passed, 1 failed, 0 skipped']);
});

test('a second try that runs fewer tests is a failure', async () => {
  const skipping = { ...report('b'), passed: 0, skipped: 2 };
  const { reports } = await againAlone([report('b', ['one'])], async () => [skipping]);
  assert.deepEqual(closingLines(reports, []), [
    '✖ b: fewer tests ran when it was tried again',
    '0 passed, 1 failed, 2 skipped',
  ]);
});

test('files are not retried without failures, or after too many', async () => {
  const many = Array.from({ length: triedAgain + 1 }, (_, index) => report(`${index}`, ['one']));
  for (const first of [[report('a')], many]) {
    const answer = await againAlone(first, async () => assert.fail('it ran again'));
    assert.deepEqual(answer, { reports: first, unsteady: [], unsteadyFiles: [] });
  }
});
