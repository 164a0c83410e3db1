import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { deal, longest, longestFirst, reaches, specifiersIn } from './company.ts';

const modules: Record<string, string[]> = {
  'pure.test.ts': ['node:test', 'plan.ts'],
  'plan.ts': ['order.ts'],
  'order.ts': ['plan.ts'],
  'engine.test.ts': ['node:test', 'fixture.ts'],
  'fixture.ts': ['plan.ts', 'programs.ts'],
  'programs.ts': ['node:child_process'],
};
const importsOf = (file: string) => modules[file] ?? [];
const wanted = new Set(['node:child_process']);

test('a file that comes to a program by whatever it imports is found, and one that computes is not', () => {
  assert.equal(reaches(importsOf, 'engine.test.ts', wanted), true);
  assert.equal(reaches(importsOf, 'pure.test.ts', wanted), false);
});

test('what a module loads is read from its text, on one line or several; types are not', () => {
  const source = `import assert from 'node:assert/strict';
import type Docker from 'dockerode';
import { type One, two } from './two.ts';
import {
  three,
} from '../three.ts';
import './four.ts';
export { five } from './five.ts';
export type { Six } from './six.ts';
const seven = await import('./seven.ts');
`;
  assert.deepEqual(specifiersIn(source).sort(), [
    '../three.ts',
    './five.ts',
    './four.ts',
    './seven.ts',
    './two.ts',
    'node:assert/strict',
  ]);
});

test('files are dealt to as many processes as are worth it, each to one', () => {
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

test('the files that take longest begin first, and all of them are there; then those of the whole', () => {
  const files = ['src/lib/a.test.ts', 'test/a.test.ts', longest[1]!, longest[0]!];
  assert.deepEqual(files.toSorted(longestFirst), files.toReversed());
  const root = join(import.meta.dirname, '../..');
  assert.deepEqual(
    longest.filter((file) => !existsSync(join(root, file))),
    [],
  );
});
