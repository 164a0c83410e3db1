import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { digestOf } from '../../lib/digest.ts';
import { type BlobCache, openBlobCache } from './blob-cache.ts';

let directory: string;
let now = Date.now();
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-cache-'));
});
after(() => rm(directory, { recursive: true }));

const open = (folder: string, budgetBytes: number) =>
  openBlobCache({ folder: join(directory, folder), budgetBytes, now: () => now });

/** Each blob has 100 bytes. */
const content = (name: number) => Buffer.alloc(100, String(name));

async function put(cache: BlobCache, name: number) {
  now += 120_000;
  const file = await cache.stage();
  await file.write(content(name));
  return await cache.adopt(file, { digest: digestOf(content(name)) });
}

async function has(cache: BlobCache, name: number): Promise<boolean> {
  now += 120_000;
  const found = await cache.open(digestOf(content(name)));
  if (!found) return false;
  await using file = found.file;
  assert.deepEqual(await file.readFile(), content(name));
  return true;
}

test('the least recently used blob is evicted, with any reads and writes, also across restarts', async () => {
  type Act = { kind: 'put' | 'read'; name: number } | { kind: 'restart' };
  const act: fc.Arbitrary<Act> = fc.oneof(
    fc.record({ kind: fc.constantFrom('put' as const, 'read' as const), name: fc.nat(7) }),
    fc.constant({ kind: 'restart' as const }),
  );
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
      const folder = `run-${runs++}`;
      let cache = await open(folder, 350);
      /** The least recently used first. */
      let model: number[] = [];
      for (const each of acts) {
        if (each.kind === 'restart') cache = await open(folder, 350);
        else if (each.kind === 'put') {
          assert.equal(await put(cache, each.name), 'kept');
          model = [...model.filter((name) => name !== each.name), each.name].slice(-3);
        } else {
          assert.equal(await has(cache, each.name), model.includes(each.name));
          if (model.includes(each.name)) model = [...model.filter((name) => name !== each.name), each.name];
        }
        assert.equal(cache.usedBytes(), model.length * 100);
      }
      assert.equal((await readdir(join(directory, folder, 'sha256'))).length, model.length);
    }),
    { numRuns: 25 },
  );
});

test('a blob that is evicted while it is read is read to its end, and one larger than the budget is not kept', async () => {
  const cache = await open('evicted', 250);
  await put(cache, 1);
  const opened = await cache.open(digestOf(content(1)));
  await using file = opened!.file;
  for (const name of [2, 3, 4]) await put(cache, name);
  assert.equal(await has(cache, 1), false);
  assert.deepEqual(await file.readFile(), content(1));
  const large = await cache.stage();
  for (const name of [5, 6, 7]) await large.write(content(name));
  await using reader = await large.open();
  const whole = Buffer.concat([content(5), content(6), content(7)]);
  assert.equal(await cache.adopt(large, { digest: digestOf(whole) }), 'kept');
  assert.equal(cache.usedBytes(), 200);
  assert.deepEqual(await reader.readFile(), whole);
});

test('what was being written when the service died is cleared at the next start', async () => {
  const cache = await open('died', 1_000);
  const file = await cache.stage();
  await file.write(content(1));
  await open('died', 1_000);
  assert.deepEqual(await readdir(join(directory, 'died', 'staged')), []);
  await file.suspend();
});
