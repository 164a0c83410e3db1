import assert from 'node:assert/strict';
import { test } from 'node:test';
import { affectedFiles, chooseFiles } from './choose-files.ts';

const files = [
  'src/plan.test.ts',
  'src/order.test.ts',
  'test/scenarios/lifecycle.test.ts',
  'test/scenarios/snapshots.test.ts',
  'test/hostile/caps.nightly.test.ts',
];
const modules: Record<string, string[]> = {
  'test/scenarios/snapshots.test.ts': ['test/scenarios/berth.ts', 'test/tier.ts'],
  'src/plan.test.ts': ['src/plan.ts'],
  'src/order.test.ts': ['src/order.ts'],
  'src/plan.ts': ['src/order.ts'],
  'src/main.ts': ['src/plan.ts', 'src/snapshots/take-snapshot.ts'],
};
const importsOf = (file: string) => modules[file] ?? [];
const affectedBy = (...changed: string[]) => affectedFiles(files, changed, importsOf);

test('npm test runs all files but the nightly ones', () => {
  assert.deepEqual(chooseFiles(files, [], 'usual', importsOf), files.slice(0, 4));
});

test('the nightly tier runs the nightly files and the files with nightly cases', () => {
  assert.deepEqual(chooseFiles(files, [], 'nightly', importsOf), files.slice(3));
});

test('words choose files of every tier', () => {
  assert.deepEqual(chooseFiles(files, ['hostile/', 'order'], 'usual', importsOf), [files[1], files[4]]);
});

test('a changed module runs the tests that import it, also through another module', () => {
  assert.deepEqual(affectedBy('src/order.ts').slice(0, 2), ['src/plan.test.ts', 'src/order.test.ts']);
  assert.deepEqual(affectedBy('src/plan.test.ts'), ['src/plan.test.ts']);
});

test('a changed module of the service runs the scenarios of its feature, or the representative ones', () => {
  assert.deepEqual(affectedBy('src/snapshots/take-snapshot.ts'), ['test/scenarios/snapshots.test.ts']);
  assert.deepEqual(affectedBy('src/plan.ts'), ['src/plan.test.ts', 'test/scenarios/lifecycle.test.ts']);
});

test('a file outside the service that no test imports runs nothing', () => {
  assert.deepEqual(affectedBy('LICENSE'), []);
});
