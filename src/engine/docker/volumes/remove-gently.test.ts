import assert from 'node:assert/strict';
import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { removeGently } from './remove-gently.ts';

const mebibyte = 2 ** 20;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-removed-'));
});
after(() => rm(folder, { recursive: true }));

test('a large file becomes shorter step by step until it is gone', async () => {
  const path = join(folder, 'large');
  await writeFile(path, Buffer.alloc(64 * mebibyte, 1));
  const lengths = await lengthsWhile(path, removeGently(path));
  assert.ok(new Set(lengths).size > 2, String(lengths));
  assert.deepEqual(
    lengths,
    lengths.toSorted((a, b) => b - a),
  );
  await assert.rejects(stat(path), { code: 'ENOENT' });
});

test('holes take no steps, and neither does what is not there', async () => {
  const path = join(folder, 'holes');
  const file = await open(path, 'w');
  await file.truncate(2 ** 40);
  await file.close();
  const lengths = await lengthsWhile(path, removeGently(path));
  assert.ok(
    lengths.every((length) => length === 2 ** 40),
    String(lengths),
  );
  await removeGently(path);
});

async function lengthsWhile(path: string, work: Promise<void>): Promise<number[]> {
  const lengths: number[] = [];
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const found = await stat(path).catch(() => undefined);
    if (found) lengths.push(found.size);
    await delay(1);
  }
  await ended;
  return lengths;
}
