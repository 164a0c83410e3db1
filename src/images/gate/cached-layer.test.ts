import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { digestOf } from '../../lib/digest.ts';
import { openBlobCache } from '../blobs/blob-cache.ts';
import { keepAside } from './cached-layer.ts';

test('layers that pass at once never take more of the disk together than the cache may, and none is held up', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-cached-layer-'));
  const budgetBytes = 300_000;
  try {
    await using cache = await openBlobCache({ folder, budgetBytes, now: Date.now });
    const pieces = 10;
    const layers = await Promise.all(
      Array.from({ length: 8 }, async (_, name) => {
        const content = Buffer.alloc(100_000, `${name}`);
        return { content, keeping: await keepAside(cache, () => digestOf(content)) };
      }),
    );
    for (let at = 0; at < pieces; at++) {
      const size = 100_000 / pieces;
      await Promise.all(
        layers.map(({ content, keeping }) => keeping.write(content.subarray(at * size, (at + 1) * size))),
      );
      assert.ok((await bytesIn(folder)) <= budgetBytes, `after piece ${at + 1}`);
    }
    for (const { content, keeping } of layers) {
      keeping.keep({ digest: digestOf(content), sizeBytes: content.length });
      await keeping[Symbol.asyncDispose]();
    }
    await cache[Symbol.asyncDispose]();
    assert.equal(cache.usedBytes(), budgetBytes, 'as many are kept as there was room for');
  } finally {
    await rm(folder, { recursive: true });
  }
});

async function bytesIn(folder: string): Promise<number> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    found
      .filter((each) => each.isFile())
      .map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
