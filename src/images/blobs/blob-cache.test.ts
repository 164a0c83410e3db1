import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
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
  const found = await cache.read(digestOf(content(name)));
  if (found) assert.deepEqual(await buffer(found.stream), content(name));
  return found !== undefined;
}

test('what was used least recently leaves, whatever is read and written, also across restarts', async () => {
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
          // What is kept makes room while it is written, whether it is there already or not.
          model = [...model.slice(-2).filter((name) => name !== each.name), each.name];
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

test('what is on its way counts to the budget with what is kept, and is written only while there is room', async () => {
  const cache = await open('on-its-way', 350);
  for (const name of [1, 2, 3]) await put(cache, name);
  const [first, second, refused] = [await cache.stage(), await cache.stage(), await cache.stage()];
  await first.write(content(4));
  assert.equal(cache.usedBytes(), 200, 'the least recently used has made room');
  await second.write(content(5));
  await second.write(content(6));
  assert.equal(cache.usedBytes(), 0);
  await assert.rejects(refused.write(content(7)), /no room/);
  await second.discard();
  const third = await cache.stage();
  await third.write(content(7));
  for (const [staged, name] of [[first, 4] as const, [third, 7] as const])
    assert.equal(await cache.adopt(staged, { digest: digestOf(content(name)) }), 'kept');
  await put(cache, 8);
  assert.equal(cache.usedBytes(), 300);
});

test('what was being written when the service died is cleared at the next start', async () => {
  const cache = await open('died', 1_000);
  const file = await cache.stage();
  await file.write(content(1));
  await open('died', 1_000);
  assert.deepEqual(await readdir(join(directory, 'died', 'staged')), []);
  await file.rest();
});
