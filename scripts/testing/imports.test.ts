import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reaches, specifiersIn } from './imports.ts';

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

test('a file that reaches a module through other modules is found, and a file that does not is not', () => {
  assert.equal(reaches(importsOf, 'engine.test.ts', wanted), true);
  assert.equal(reaches(importsOf, 'pure.test.ts', wanted), false);
});

test('imports are read from the text of a module, on one line or several, without type-only imports', () => {
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
