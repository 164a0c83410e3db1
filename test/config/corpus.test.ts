/** Documents that people wrote, where the folder with them exists: verdicts, causes, time. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseConfiguration } from '../../src/config/parse.ts';
import { within } from '../processor-time.ts';

const corpus = join(import.meta.dirname, '../../../shared/corpus');
const skip = existsSync(corpus) ? false : `the folder ${corpus} does not exist`;

/** What the first message says for each cause. */
const causes: Record<string, RegExp> = {
  'image is a placeholder': /the image is (?:empty: )?a placeholder/,
  'image without tag': /must include a tag/,
  'old template form': /the form "application\.template" is no longer read/,
  'duplicate path': /have the same path/,
  'no application': /there is no "application"/,
  unparsable: /this is Markdown, not YAML/,
};

/** The guard of a slow machine: the documents take 1 to 10 ms. */
const maxMs = 100;

test('the verdicts on documents of the native form are those expected, and each refusal names its cause', {
  skip,
}, () => {
  const rows = readFileSync(join(corpus, 'native/expected.tsv'), 'utf8').trim().split('\n').slice(1);
  const wrong: string[] = [];
  for (const row of rows) {
    const [file, verdict, why] = row.split('\t');
    const text = readFileSync(join(corpus, 'native', file!), 'utf8');
    const { kind, diagnostics } = within(maxMs, () => parseConfiguration(text));
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    const accepted = kind === 'valid' ? 'accept' : 'reject';
    if (accepted !== verdict) wrong.push(`${file} ${accepted}: ${errors[0]?.message}`);
    if (verdict !== 'reject' || accepted !== 'reject') continue;
    const { message, hint = '', line, column } = errors[0]!;
    assert.match(`${message} (${hint})`, causes[why!]!, `${file}: ${why}`);
    assert.ok(line >= 1 && column >= 1);
  }
  assert.deepEqual(wrong, []);
});

test('of the documented examples only those with a placeholder for an image are refused', { skip }, () => {
  for (const file of readdirSync(join(corpus, 'documented'))) {
    const { kind, diagnostics } = parseConfiguration(readFileSync(join(corpus, 'documented', file), 'utf8'));
    const codes = new Set(diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code));
    assert.deepEqual([...codes], kind === 'valid' ? [] : ['image-placeholder'], file);
  }
});
