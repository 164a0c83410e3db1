import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type BlobCache, openBlobCache } from './blob-cache.ts';
import { digestOf } from './digest.ts';

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

test('what was being written when the service died is cleared at the next start', async () => {
  const cache = await open('died', 1_000);
  const file = await cache.stage();
  await file.write(content(1));
  await open('died', 1_000);
  assert.deepEqual(await readdir(join(directory, 'died', 'staged')), []);
  await file.rest();
});
