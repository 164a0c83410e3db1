import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { page, renderConfigurationPage } from './configuration.ts';

test('docs/reference/configuration.md is current; node scripts/docs/configuration.ts writes it', () => {
  assert.equal(readFileSync(page, 'utf8'), renderConfigurationPage());
});
