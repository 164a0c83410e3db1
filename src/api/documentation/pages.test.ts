import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readParts } from './pages.ts';

test('docs/contents.yaml lists every page once', () => {
  const folder = join(import.meta.dirname, '../../../docs');
  const there = globSync('{start,guides,reference,explanation}/*.md', { cwd: folder });
  const listed = readParts().flatMap(({ pages }) => pages.map(({ path }) => `${path}.md`));
  assert.deepEqual(listed.toSorted(), there.toSorted());
});
