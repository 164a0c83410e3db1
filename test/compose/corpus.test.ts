/** Real Compose files that are kept outside of this repository, where the folder exists. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { composeCodes } from '../../src/config/compose/compose-codes.ts';
import { codes } from '../../src/config/diagnostics/diagnostic-codes.ts';
import { parseConfiguration } from '../../src/config/parse.ts';
import { within } from '../processor-time.ts';

const folder = join(import.meta.dirname, '../../../shared/corpus/compose');
const isThere = existsSync(folder);

test('the folder of Compose files', { skip: isThere ? false : 'it is not on this machine' }, async (t) => {
  for (const file of readdirSync(folder)) {
    await t.test(`${file} is accepted, or refused for documented reasons, each with its line`, () => {
      const text = readFileSync(join(folder, file), 'utf8');
      const { kind, diagnostics } = within(100, () => parseConfiguration(text));
      const errors = diagnostics.filter(({ severity }) => severity === 'error');
      assert.equal(kind, errors.length === 0 ? 'valid' : 'invalid');
      const lines = text.split('\n');
      for (const { code, line, column, hint } of errors) {
        assert.ok(code in composeCodes || code in codes, code);
        assert.ok(hint, `${code} says what to write instead`);
        assert.match(lines[line - 1]?.slice(column - 1) ?? '', /^\S/, `${code} stands at a word`);
      }
    });
  }
});
