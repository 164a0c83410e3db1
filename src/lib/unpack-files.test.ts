import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, test } from 'node:test';
import { type Header, pack } from 'tar-stream';
import { unpackFiles } from './unpack-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-unpack-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function tarOf(...headers: (Partial<Header> & { name: string })[]): Promise<Buffer> {
  const tar = pack();
  for (const header of headers) tar.entry(header, header.type && header.type !== 'file' ? '' : 'content');
  tar.finalize();
  return Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Uint8Array>));
}
const unpack = (content: Buffer) => unpackFiles(Readable.from([content], { objectMode: false }), folder);

test('files come into the folder, for their owner alone', async () => {
  const files = await unpack(await tarOf({ name: 'shop/a/b.tar', mode: 0o777 }, { name: 'shop/README.md' }));
  assert.equal(files, 2);
  assert.equal(await readFile(join(folder, 'a/b.tar'), 'utf8'), 'content');
  assert.equal((await stat(join(folder, 'a/b.tar'))).mode & 0o777, 0o700);
});

for (const [title, header] of Object.entries({
  'a path that leads out': { name: 'shop/../../evil' },
  'an absolute path': { name: '/etc/evil' },
  'a link': { name: 'shop/link', type: 'symlink', linkname: '/etc' },
  'a hard link': { name: 'shop/link', type: 'link', linkname: 'shop/a' },
  'a device': { name: 'shop/disk', type: 'block-device' },
  'a name with a line break': { name: 'shop/a\nb' },
} as Record<string, Partial<Header> & { name: string }>))
  test(`${title} is refused before anything is written`, async () => {
    await assert.rejects(unpack(await tarOf(header)), /no export has|ENOENT/);
    assert.deepEqual(await readdir(folder), []);
  });

test('a file that comes twice is refused', async () => {
  await assert.rejects(unpack(await tarOf({ name: 'shop/a' }, { name: 'shop/a' })), /EEXIST/);
});

test('what ends in the middle is refused', async () => {
  const content = await tarOf({ name: 'shop/a' });
  await assert.rejects(unpack(content.subarray(0, 514)));
});
