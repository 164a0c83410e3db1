import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { printSpec, readSpec } from './spec.ts';

const golden = new URL('../../../test/golden/spec-v1.json', import.meta.url);

test('what is stored today is what the golden file holds, so that a change of it is a new version', async () => {
  const text = await readFile(golden, 'utf8');
  assert.deepEqual(JSON.parse(printSpec(readSpec(text))), JSON.parse(text));
  assert.deepEqual(readSpec(printSpec(readSpec(text))), readSpec(text));
});

test('what a newer release has stored is not taken for something else', () => {
  assert.throws(() => readSpec('{"version":2,"spec":{}}'), /newer release of Berth \(format 2\)/);
});
