import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openLayerCounter } from './layer-counter.ts';

const { signal } = new AbortController();

async function fileOf(content: Buffer) {
  const path = join(tmpdir(), `berth-counted-${randomUUID()}`);
  await writeFile(path, content);
  const file = await open(path);
  await rm(path);
  return file;
}

test('a client with many large layers does not delay the layer of another client', async () => {
  await using counter = openLayerCounter();
  await using large = await fileOf(gzipSync(Buffer.alloc(2 ** 28)));
  await using small = await fileOf(gzipSync('small'));
  const ended: string[] = [];
  const count = async (payer: string, file: typeof large) => {
    await counter.count({ payer, file, mostBytes: 2 ** 40 }, signal);
    ended.push(payer);
  };
  const bombs = Array.from({ length: 4 }, () => count('a stranger', large));
  await Promise.all([...bombs, count('another', small)]);
  assert.equal(ended[0], 'another');
});

test('counting that is given up ends, whether it has begun or not', async () => {
  await using counter = openLayerCounter();
  await using large = await fileOf(gzipSync(Buffer.alloc(2 ** 28)));
  const giving = new AbortController();
  const counts = [1, 2].map(() => counter.count({ payer: 'x', file: large, mostBytes: 2 ** 40 }, giving.signal));
  giving.abort();
  for (const { status } of await Promise.allSettled(counts)) assert.equal(status, 'rejected');
  await using small = await fileOf(gzipSync('small'));
  const { kind } = await counter.count({ payer: 'x', file: small, mostBytes: 100 }, signal);
  assert.equal(kind, 'counted');
});
