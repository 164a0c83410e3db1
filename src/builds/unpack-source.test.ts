import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { crc32, createGzip, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';
import { SourceError } from './source-entry.ts';
import { unpackSource } from './unpack-source.ts';

type TarEntry = [header: Partial<Header> & { name: string }, content?: string];

async function tarOf(entries: readonly TarEntry[]): Promise<Buffer> {
  const tar = pack();
  for (const [header, content = ''] of entries) tar.entry(header, content);
  tar.finalize();
  const pieces: Buffer[] = [];
  for await (const piece of tar) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

async function place(t: TestContext) {
  const scratch = await mkdtemp(join(tmpdir(), 'berth-unpack-'));
  t.after(() => rm(scratch, { recursive: true }));
  const folder = join(scratch, 'folder');
  await mkdir(folder);
  return { scratch, folder, archive: join(scratch, 'archive') };
}

const limits = { maxBytes: 2 ** 20, maxEntries: 100 };

async function unpacked(t: TestContext, bytes: Uint8Array, most = limits): Promise<string> {
  const { folder, archive } = await place(t);
  await writeFile(archive, bytes);
  await unpackSource([{ file: archive, at: '' }], folder, most);
  return folder;
}

const project: TarEntry[] = [
  [{ name: './', type: 'directory' }],
  [{ name: './Dockerfile' }, 'FROM scratch'],
  [{ name: './bin/run.sh', mode: 0o4755 }, '#!/bin/sh'],
  [{ name: './bin/copy.sh', type: 'link', linkname: './bin/run.sh' }],
  [{ name: './bin/link', type: 'symlink', linkname: '../Dockerfile' }],
];

test('a tar is unpacked, plain and compressed, without special bits', async (t) => {
  const tar = await tarOf(project);
  for (const bytes of [tar, gzipSync(tar), zstdCompressSync(tar)]) {
    const folder = await unpacked(t, bytes);
    assert.equal(await readFile(join(folder, 'Dockerfile'), 'utf8'), 'FROM scratch');
    assert.equal((await lstat(join(folder, 'bin/run.sh'))).mode & 0o7777, 0o755);
    assert.equal(await readFile(join(folder, 'bin/copy.sh'), 'utf8'), '#!/bin/sh');
    assert.equal(await readlink(join(folder, 'bin/link')), '../Dockerfile');
  }
});

type ZipEntry = { name: string; mode?: number; content?: string };

/** A zip as an archiver on Unix writes it: local headers with content, then the directory. */
function zipOf(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, mode = 0o100644, content = '' } of entries) {
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    for (const [at, value] of [
      [0, 20],
      [4, 8],
      [22, Buffer.byteLength(name)],
    ] as const)
      common.writeUInt16LE(value, at);
    for (const [at, value] of [
      [10, crc32(content)],
      [14, packed.length],
      [18, content.length],
    ] as const)
      common.writeUInt32LE(value, at);
    const [signature, listed, attributes] = [Buffer.alloc(4), Buffer.alloc(6), Buffer.alloc(14)];
    signature.writeUInt32BE(0x504b0304);
    listed.writeUInt32BE(0x504b0102);
    listed.writeUInt16LE(0x031e, 4);
    attributes.writeUInt32LE((mode << 16) >>> 0, 6);
    attributes.writeUInt32LE(offset, 10);
    const local = Buffer.concat([signature, common, Buffer.from(name), packed]);
    parts.push(local);
    directory.push(Buffer.concat([listed, common, attributes, Buffer.from(name)]));
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32BE(0x504b0506);
  for (const at of [8, 10]) end.writeUInt16LE(entries.length, at);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

test('a zip is unpacked with its folders, modes and links', async (t) => {
  const folder = await unpacked(
    t,
    zipOf([
      { name: 'app/', mode: 0o040755 },
      { name: 'app/main.py', content: 'print(1)'.repeat(1_000) },
      { name: 'app/link', mode: 0o120777, content: 'main.py' },
      { name: 'run', mode: 0o100755, content: 'x' },
    ]),
  );
  assert.equal((await readFile(join(folder, 'app/main.py'), 'utf8')).length, 8_000);
  assert.equal(await readlink(join(folder, 'app/link')), 'main.py');
  assert.equal((await lstat(join(folder, 'run'))).mode & 0o777, 0o755);
  await assert.rejects(unpacked(t, zipOf([{ name: '../evil', content: 'x' }])), SourceError);
  await assert.rejects(unpacked(t, zipOf([{ name: 'l', mode: 0o120777, content: '/etc' }])), /leaves the source/);
});

test('nothing of an archive is written outside its folder', async (t) => {
  const hostile: [TarEntry[], RegExp][] = [
    [[[{ name: '../evil' }, 'x']], /path outside the source/],
    [[[{ name: '/etc/passwd' }, 'x']], /path outside the source/],
    [[[{ name: 'a/../../evil' }, 'x']], /path outside the source/],
    [[[{ name: 'link', type: 'symlink', linkname: '/etc' }]], /leaves the source/],
    [[[{ name: 'a/link', type: 'symlink', linkname: '../../etc' }]], /leaves the source/],
    [[[{ name: 'copy', type: 'link', linkname: '../../etc/passwd' }]], /path outside the source/],
    [[[{ name: 'copy', type: 'link', linkname: 'not-there' }]], /damaged/],
    [[[{ name: 'device', type: 'character-device', devmajor: 1, devminor: 5 }]], /character device/],
    [[[{ name: 'pipe', type: 'fifo' }]], /fifo/],
    [[[{ name: 'a/'.repeat(80) }, 'x']], /too long or too deep/],
    [[[{ name: 'x'.repeat(300) }, 'x']], /too long or too deep/],
  ];
  for (const [entries, words] of hostile) {
    const bytes = await tarOf(entries);
    await assert.rejects(
      unpacked(t, bytes),
      (error: Error) => error instanceof SourceError && words.test(error.message),
    );
  }
});

test('a file behind a link of the same archive is written as a file, and the link is refused', async (t) => {
  const { scratch, folder, archive } = await place(t);
  const entries: TarEntry[] = [[{ name: 'sub', type: 'symlink', linkname: '.' }], [{ name: 'sub/file' }, 'x']];
  await writeFile(archive, await tarOf(entries));
  await assert.rejects(unpackSource([{ file: archive, at: '' }], folder, limits), SourceError);
  assert.deepEqual(await readdir(scratch), ['archive', 'folder']);
});

test('an archive is bounded in bytes and entries, however well it is compressed', async (t) => {
  const { folder, archive } = await place(t);
  const tar = pack();
  const file = tar.entry({ name: 'zeros', size: 2 ** 26 });
  const zeros = Buffer.alloc(2 ** 20);
  const written = tar.pipe(createGzip()).pipe(createWriteStream(archive));
  for (let at = 0; at < 64; at++) if (!file.write(zeros)) await once(file, 'drain');
  file.end(undefined);
  tar.finalize();
  await once(written, 'finish');
  const isTooLarge = (error: Error) => error instanceof SourceError && error.isTooLarge;
  await assert.rejects(unpackSource([{ file: archive, at: '' }], folder, limits), isTooLarge);
  assert.ok((await lstat(join(folder, 'zeros'))).size <= limits.maxBytes);
  const links = Array.from({ length: 20 }, (_, at): TarEntry => [{ name: `l${at}`, type: 'link', linkname: 'a' }]);
  await assert.rejects(unpacked(t, await tarOf([[{ name: 'a' }, 'x'.repeat(100_000)], ...links])), isTooLarge);
  const many = await tarOf(Array.from({ length: 101 }, (_, at): TarEntry => [{ name: `f${at}` }]));
  await assert.rejects(unpacked(t, many), isTooLarge);
});

test('a body that is not a complete archive is refused in words', async (t) => {
  await assert.rejects(unpacked(t, Buffer.from('hello')), /not a tar/);
  await assert.rejects(unpacked(t, Buffer.alloc(0)), /not a tar/);
  const whole = gzipSync(await tarOf([[{ name: 'a' }, 'x'.repeat(200_000)]]));
  await assert.rejects(unpacked(t, whole.subarray(0, whole.length - 40)), /damaged or incomplete/);
});
