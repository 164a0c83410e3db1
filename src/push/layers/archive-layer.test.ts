import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { extract, type Header, pack } from 'tar-stream';
import type { BasePaths } from '../../lib/image-paths.ts';
import { packArchive } from './folder-layer.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-archive-'));
});
afterEach(() => rm(folder, { recursive: true }));

type Written = (Partial<Header> & { name: string })[];

async function layerOf(written: Written, paths: BasePaths = new Map()): Promise<Header[]> {
  const tar = pack();
  for (const header of written) tar.entry(header, (header.type ?? 'file') === 'file' ? 'content' : '');
  tar.finalize();
  const from = join(folder, 'data.tar');
  await writeFile(from, Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Uint8Array>)));
  const headers: Header[] = [];
  const layer = packArchive({ from, to: '/var/lib/data' }, paths);
  const entries = extract();
  layer.once('error', (error) => entries.destroy(error));
  for await (const entry of layer.pipe(entries)) {
    headers.push(entry.header);
    entry.resume();
  }
  return headers;
}

test('what is in an archive lies at the place of the volume, with its owners, and hides what the image has there', async () => {
  const headers = await layerOf([
    { name: './', type: 'directory', mode: 0o700, uid: 999, gid: 998 },
    { name: './base/1', mode: 0o600, uid: 999 },
    { name: './again', type: 'link', linkname: './base/1' },
    { name: './up', type: 'symlink', linkname: '../x' },
  ]);
  assert.deepEqual(
    headers.map(({ name, type, mode, uid, linkname }) => [name, type, mode?.toString(8), uid, linkname ?? '']),
    [
      ['var/', 'directory', '755', 0, ''],
      ['var/lib/', 'directory', '755', 0, ''],
      ['var/lib/data/', 'directory', '700', 999, ''],
      ['var/lib/data/.wh..wh..opq', 'file', '644', 0, ''],
      ['var/lib/data/base/1', 'file', '600', 999, ''],
      ['var/lib/data/again', 'link', '644', 0, 'var/lib/data/base/1'],
      ['var/lib/data/up', 'symlink', '644', 0, '../x'],
    ],
  );
});

test('a path that leads out stays below the place', async () => {
  const headers = await layerOf([{ name: '../../etc/passwd' }]);
  assert.equal(headers.filter(({ type }) => type === 'file')[0]!.name, 'var/lib/data/etc/passwd');
});

test('what no image can hold is refused in words', async () => {
  await assert.rejects(layerOf([{ name: './disk', type: 'block-device' }]), /no image can hold/);
  await assert.rejects(layerOf([{ name: './.wh.x' }]), /removes a file/);
});
