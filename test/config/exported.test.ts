/** The output of `berth export` for a document that uses every feature, compared with golden files. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { exportCompose } from '../../src/config/export/compose-file.ts';
import { exportKubernetes } from '../../src/config/export/kubernetes.ts';
import { parseConfiguration } from '../../src/config/parse.ts';

const golden = (name: string) => readFile(join(import.meta.dirname, '../golden', name), 'utf8');

for (const [format, write] of [
  ['compose', exportCompose],
  ['kubernetes', exportKubernetes],
] as const)
  test(`the whole of an application is written for ${format} as it was before`, async () => {
    const parsed = parseConfiguration(await golden('exported.yaml'));
    assert.equal(parsed.kind, 'valid', JSON.stringify(parsed.diagnostics));
    const { spec } = parsed as Extract<typeof parsed, { kind: 'valid' }>;
    const { text, notes } = write(spec, { withSecrets: false, host: 'shop.example.com' });
    const whole = `${text.trimEnd()}\n${notes.map((note) => `# note: ${note}\n`).join('')}`;
    assert.equal(whole, await golden(`exported-${format}.yaml`));
  });
