/** Documents read in a thread of their own: the same answer as on this one, byte for byte. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import fc from 'fast-check';
import { type Kind, type ReadRequest, read } from '../../src/api/configuration/reading/read-document.ts';
import { createReader } from '../../src/api/configuration/reading/reader.ts';
import type { Maximum } from '../../src/deployment/limits/deployment-maximum.ts';
import { document } from '../fuzz/documents.ts';
import { largeDocuments } from '../hostile/large-documents.ts';
import { inTier } from '../tier.ts';

const corpus = join(import.meta.dirname, '../../../shared/corpus');
const files = existsSync(corpus)
  ? ['native', 'compose'].flatMap((folder) =>
      readdirSync(join(corpus, folder)).map((file) => readFileSync(join(corpus, folder, file), 'utf8')),
    )
  : [];

const caps = { containers: 1, volumes: 1, gpus: 0, countsOf: 'stranger', gpusOf: 'server' } as const;
/** So little that most documents ask for more. */
const max: Maximum = {
  memoryBytes: 2 ** 27,
  memoryOf: 'stranger',
  limitBytes: 2 ** 30,
  limitOf: 'server',
  cpuMillis: 100,
  diskBytes: Number.POSITIVE_INFINITY,
  ...caps,
};

suite('a document is answered the same on a thread of its own', () => {
  const reader = createReader({ longestHere: 0 });
  after(() => reader.close());

  const isTheSame = async (text: string) => {
    const requested: ReadRequest[] = [
      { kind: 'unwrap', input: { text } },
      { kind: 'parse', input: { text } },
      { kind: 'correct', input: { text, isStrict: true, bounds: { max } } },
    ];
    for (const question of requested) await isAnsweredTheSame(question);
  };
  const isAnsweredTheSame = async <K extends Kind>({ kind, input }: ReadRequest<K>) => {
    const there = await reader.read('a client', kind, input);
    assert.ok(there.ok);
    const here = read({ kind, input });
    assert.deepEqual(there.value, here);
    // The stored and sent form, in which the order of fields counts too.
    assert.equal(JSON.stringify(there.value), JSON.stringify(here));
  };

  test('documents that people wrote', { skip: files.length > 0 ? false : `no folder ${corpus}` }, async () => {
    for (const text of files) await isTheSame(text);
  });

  test('large documents', async () => {
    for (const text of Object.values(largeDocuments)) {
      await isAnsweredTheSame({ kind: 'parse', input: { text, bounds: { max } } });
    }
  });

  test('generated documents, and what is left of them after a few changes', async () => {
    await fc.assert(
      fc.asyncProperty(document, (textFor) => isTheSame(textFor('shop'))),
      { numRuns: inTier([30], [100]).at(-1)! },
    );
  });
});
