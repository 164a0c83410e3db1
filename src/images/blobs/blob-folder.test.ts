import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { digestOf } from '../../lib/digest.ts';
import { type BlobFolder, openBlobFolder } from './blob-folder.ts';
import { resumeStaged, stageFile } from './staged-file.ts';

let directory: string;
let folder: BlobFolder;
let names = 0;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-blobs-'));
  folder = await openBlobFolder(directory);
});
after(() => rm(directory, { recursive: true }));

const staging = () => folder.stagingPath(`staged-${names++}`);
const staged = () => readdir(join(directory, 'staged'));

async function add(content: Uint8Array) {
  const file = await stageFile(staging());
  await file.write(content);
  return await folder.adopt(file, { digest: digestOf(content), sizeBytes: content.length });
}

async function contentOf(content: Uint8Array, range?: { first: number; last: number }) {
  const found = await folder.read(digestOf(content), range);
  return found && (await buffer(found.stream));
}

test('what is written in any pieces, and taken up again after any of them, is there as a whole under its digest', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 5_000 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(pieces, fc.nat(8), async (parts, cut) => {
      const whole = Buffer.concat(parts);
      const path = staging();
      let file = await stageFile(path);
      for (const [index, part] of parts.entries()) {
        if (index === cut) {
          await file.suspend();
          file = (await resumeStaged(path))!;
          assert.equal(file.sizeBytes, Buffer.concat(parts.slice(0, index)).length);
        }
        await file.write(part);
      }
      assert.equal(await folder.adopt(file, { digest: digestOf(whole), sizeBytes: whole.length }), 'kept');
      assert.deepEqual(await contentOf(whole), whole);
      assert.equal(await folder.sizeOf(digestOf(whole)), whole.length);
    }),
    { numRuns: 50 },
  );
  assert.deepEqual(await staged(), []);
});

test('what is not what was said is not kept, and leaves nothing', async () => {
  for (const said of [{ digest: digestOf('another') }, { digest: digestOf('content'), sizeBytes: 6 }]) {
    const file = await stageFile(staging());
    await file.write(Buffer.from('content'));
    assert.equal(await folder.adopt(file, said), 'sizeBytes' in said ? 'other-size' : 'other-digest');
  }
  assert.equal(await folder.sizeOf(digestOf('content')), undefined);
  assert.deepEqual(await staged(), []);
});

test('an incomplete blob cannot be found, and leftovers of a dead process are removed', async () => {
  const file = await stageFile(staging());
  await file.write(Buffer.from('half'));
  await file.suspend();
  assert.deepEqual(
    (await folder.list()).filter((digest) => digest === digestOf('half')),
    [],
  );
  await folder.clearStaged(0);
  assert.equal((await staged()).length, 1, 'it is younger than that');
  await folder.clearStaged(Number.POSITIVE_INFINITY, () => true);
  assert.equal((await staged()).length, 1, 'another writer has it open');
  await folder.clearStaged(Number.POSITIVE_INFINITY);
  assert.deepEqual(await staged(), []);
});

test('a write that has failed half-way is written over', async () => {
  const path = staging();
  const file = await stageFile(path);
  await file.write(Buffer.from('one '));
  // Simulates a full disk.
  await writeFile(path, 'one tw and more', { flag: 'r+' });
  await file.write(Buffer.from('two'));
  assert.equal(await folder.adopt(file, { digest: digestOf('one two') }), 'kept');
  assert.equal(await readFile(folder.pathOf(digestOf('one two')), 'utf8'), 'one two');
});

test('a part is read from its first to its last byte', async () => {
  await add(Buffer.from('0123456789'));
  assert.equal((await contentOf(Buffer.from('0123456789'), { first: 3, last: 5 }))?.toString(), '345');
});

test('an opened blob can be read to its end, even if it is removed', async () => {
  const content = Buffer.alloc(3_000_000, 'x');
  await add(content);
  const reading = await folder.read(digestOf(content));
  await folder.remove(digestOf(content));
  assert.equal(await folder.read(digestOf(content)), undefined);
  assert.deepEqual(await buffer(reading!.stream), content);
});

test('an invalid digest never becomes a path', async () => {
  for (const name of ['sha256:../../secret.key', 'sha256:', '../x', `sha256:${'0'.repeat(63)}/`])
    await assert.rejects(folder.read(name as 'sha256:'), /Not a digest/);
});

test('what two folders both have is on the disk once, and stays for the one that keeps it', async () => {
  const [first, second] = [join(directory, 'first'), join(directory, 'second')];
  const folders = [await openBlobFolder(first, second), await openBlobFolder(second, first)] as const;
  const content = Buffer.from('pushed, and pulled as well');
  const digest = digestOf(content);
  const put = async (into: BlobFolder) => {
    const file = await stageFile(into.stagingPath('one'));
    await file.write(content);
    return await into.adopt(file, { digest });
  };
  const contentIn = async (from: BlobFolder) => {
    const found = await from.read(digest);
    return found && (await buffer(found.stream));
  };
  for (const [one, other] of [folders, folders.toReversed()] as [BlobFolder, BlobFolder][]) {
    for (const into of [one, other, one, other]) assert.equal(await put(into), 'kept');
    const [here, there] = await Promise.all([stat(one.pathOf(digest)), stat(other.pathOf(digest))]);
    assert.deepEqual([here.ino, here.nlink], [there.ino, 2]);
    await one.remove(digest);
    assert.equal(await contentIn(one), undefined);
    assert.deepEqual(await contentIn(other), content);
    await other.remove(digest);
  }
  assert.deepEqual([...(await readdir(join(first, 'staged'))), ...(await readdir(join(second, 'staged')))], []);
});
