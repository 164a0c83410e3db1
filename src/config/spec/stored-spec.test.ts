import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { printSpec, readSpec } from './stored-spec.ts';

const golden = (name: string) => readFile(new URL(`../../../test/golden/${name}`, import.meta.url), 'utf8');

test('what each release has stored is read as what it meant', async () => {
  const [bare, versioned] = [await golden('spec-v0.json'), await golden('spec-v1.json')];
  assert.deepEqual(readSpec(bare), JSON.parse(bare));
  assert.deepEqual(readSpec(versioned), readSpec(bare));
});

test('what is stored today is what the golden file holds, so that a change of it is a new version', async () => {
  const text = await golden('spec-v1.json');
  assert.deepEqual(JSON.parse(printSpec(readSpec(text))), JSON.parse(text));
  assert.deepEqual(readSpec(printSpec(readSpec(text))), readSpec(text));
});

test('what a newer release has stored is not taken for something else', () => {
  assert.throws(() => readSpec('{"version":2,"spec":{}}'), /newer release of Berth \(format 2\)/);
});
