import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { test } from 'node:test';
import { wantedPages } from './generated.ts';

test('the generated pages are current; `npm run docs` writes them', async () => {
  for (const [file, wanted] of await wantedPages()) {
    assert.equal(await readFile(file, 'utf8').catch(() => ''), wanted, basename(file));
  }
});
