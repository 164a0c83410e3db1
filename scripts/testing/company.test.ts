import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { deal, longest, longestFirst } from './company.ts';

test('files are divided among a useful number of processes, each to one', () => {
  const files = Array.from({ length: 45 }, (_, index) => `${index}.test.ts`);
  assert.deepEqual(
    deal(files, 8).map(({ length }) => length),
    [23, 22],
  );
  assert.deepEqual(deal(files, 8).flat().sort(), files.toSorted());
  assert.deepEqual(deal(files, 1), [files]);
  assert.deepEqual(deal(['one.test.ts'], 8), [['one.test.ts']]);
  assert.deepEqual(deal([], 8), []);
});

test('the longest files begin first and exist; tests of the whole follow', () => {
  const files = ['src/lib/a.test.ts', 'test/a.test.ts', longest[1]!, longest[0]!];
  assert.deepEqual(files.toSorted(longestFirst), files.toReversed());
  const root = join(import.meta.dirname, '../..');
  assert.deepEqual(
    longest.filter((file) => !existsSync(join(root, file))),
    [],
  );
});
