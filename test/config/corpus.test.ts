/** Documents that people wrote, where the folder with them exists: verdicts, causes, time. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseConfiguration } from '../../src/config/parse.ts';
import { usesOf } from '../../src/config/spec/uses.ts';
import { within } from '../processor-time.ts';

const corpus = join(import.meta.dirname, '../../../shared/corpus');
const skip = existsSync(corpus) ? false : `the folder ${corpus} does not exist`;

/** The first message for each cause. */
const causes: Record<string, RegExp> = {
  'image is a placeholder': /the image is (?:empty: )?a placeholder/,
  'image without tag': /must include a tag/,
  'old template form': /the form "application\.template" is no longer read/,
  'duplicate path': /have the same path/,
  'no application': /"application" is missing/,
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

/** The uses in documents whose pods share their name with a user, a database or a driver. */
const uses: Record<string, Record<string, string[]>> = {
  'compose/wordpress-mysql.yaml': { db: [], wordpress: ['db'] },
  'compose/nextcloud-redis-mariadb.yaml': { nc: ['redis', 'db'], redis: [], db: [] },
  'native/015.yaml': { app: ['postgres'], postgres: [] },
  'native/050.yaml': { app: ['mariadb', 'redis'], mariadb: [], redis: [], console: [] },
  'documented/ex__llm-observability-platform.yaml': {
    'langfuse-web': ['clickhouse', 'redis', 'postgres'],
    'langfuse-worker': ['clickhouse', 'minio', 'redis', 'postgres'],
    postgres: [],
    redis: [],
    clickhouse: [],
    minio: [],
  },
};

test('the pods of a document use those that they connect to, and databases use none', { skip }, () => {
  for (const [file, expected] of Object.entries(uses)) {
    const parsed = parseConfiguration(readFileSync(join(corpus, file), 'utf8'));
    assert.ok(parsed.kind === 'valid', file);
    assert.deepEqual(Object.fromEntries(usesOf(parsed.spec)), expected, file);
  }
});

test('only pods that really name each other use each other in a circle', { skip }, () => {
  const circles = ['native', 'documented', 'compose'].flatMap((folder) =>
    readdirSync(join(corpus, folder)).flatMap((file) => {
      if (!file.endsWith('.yaml')) return [];
      const parsed = parseConfiguration(readFileSync(join(corpus, folder, file), 'utf8'));
      const used = parsed.kind === 'valid' ? usesOf(parsed.spec) : new Map<string, string[]>();
      return [...used].flatMap(([pod, others]) =>
        others.filter((other) => used.get(other)!.includes(pod)).map((other) => `${file}: ${pod} ↔ ${other}`),
      );
    }),
  );
  assert.deepEqual(circles, ['064.yaml: account ↔ transactor', '064.yaml: transactor ↔ account']);
});
