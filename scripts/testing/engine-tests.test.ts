import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { engineTests, filesOfDocker } from './engine-tests.ts';

const root = join(import.meta.dirname, '../..');
const files = ['src/one.test.ts', 'test/scenarios/gvisor.test.ts', 'test/scenarios/sessions.test.ts'];

test('on a cluster only the scenarios of Docker are left out, each with a reason', () => {
  assert.deepEqual(engineTests(files, { TEST_ENGINE: 'kubernetes' }), {
    files: ['src/one.test.ts', 'test/scenarios/sessions.test.ts'],
    leftOut: [{ file: 'test/scenarios/gvisor.test.ts', reason: 'containers of Docker in gVisor' }],
  });
  assert.deepEqual(engineTests(files, {}), { files, leftOut: [] });
});

test('every file in the list of left-out files exists', () => {
  assert.deepEqual(
    filesOfDocker.filter((file) => !existsSync(join(root, file))),
    [],
  );
});
