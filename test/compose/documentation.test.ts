/** docs/reference/compose.md says what the code does: its tables are the code's, and its examples are valid. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Key, serviceKeys, topLevelKeys } from '../../src/config/compose/key-table.ts';
import { parseConfiguration } from '../../src/config/parse.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/reference/compose.md'), 'utf8');

/** The rows of the table below a heading. */
function rowsBelow(heading: string): string[] {
  const section = page.slice(page.indexOf(`${heading}\n`)).split(/\n#/)[0]!;
  return section.split('\n').filter((line) => line.startsWith('| `'));
}

const rowsOf = (keys: Record<string, Key>) =>
  Object.entries(keys).map(([key, { outcome, says }]) => `| \`${key}\` | ${outcome} | ${says} |`);

test('the tables of keys are those of the code', () => {
  assert.deepEqual(rowsBelow('### At the top'), rowsOf(topLevelKeys));
  assert.deepEqual(rowsBelow('### Of a service'), rowsOf(serviceKeys));
});

test('the examples are valid', () => {
  const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text!);
  assert.ok(examples.length >= 3);
  for (const text of examples) {
    const { kind, diagnostics } = parseConfiguration(text);
    assert.equal(kind, 'valid', `${text}\n${JSON.stringify(diagnostics)}`);
  }
});
