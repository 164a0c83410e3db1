import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { countUnsteady, recordUnsteady } from './unsteady-record.ts';

test('a file that passes only alone for the third time has no retry left', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-record-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'cache/unsteady.json');
  const file = 'test/scenarios/claim.test.ts';
  assert.deepEqual(await recordUnsteady(path, [file]), []);
  assert.deepEqual(await recordUnsteady(path, [file, 'test/a.test.ts']), []);
  assert.deepEqual(await recordUnsteady(path, []), []);
  assert.deepEqual(await recordUnsteady(path, [file]), [file]);
});

test('two unsteady tests of one file in one run count once', () => {
  assert.deepEqual(countUnsteady({}, ['a', 'a']), { counts: { a: 1 }, exhausted: [] });
});
