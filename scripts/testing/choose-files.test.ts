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
  'src/plan.test.ts': ['src/plan.ts'],
  'src/order.test.ts': ['src/order.ts'],
  'src/plan.ts': ['src/order.ts'],
  'src/main.ts': ['src/plan.ts', 'src/snapshots/take-snapshot.ts'],
};
const affectedBy = (...changed: string[]) => affectedFiles(files, changed, (file) => modules[file] ?? []);

test('npm test runs every file but the nightly ones, the nightly tier runs those, and words choose among all', () => {
  assert.deepEqual(chooseFiles(files, [], 'usual'), files.slice(0, 4));
  assert.deepEqual(chooseFiles(files, [], 'nightly'), ['test/hostile/caps.nightly.test.ts']);
  assert.deepEqual(chooseFiles(files, ['hostile/', 'order'], 'usual'), [files[1], files[4]]);
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
