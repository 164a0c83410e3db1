/** Unpacks source archives, which may be hostile. */
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { extract } from 'tar-stream';
import { fromFd, type Entry as ZipEntry, type ZipFile } from 'yauzl';
import { type ArchiveFormat, archiveFormat, magicBytes } from './archive-format.ts';
import { entryBelow, readEntry, SourceError } from './source-entry.ts';
import { createSourceWriter, isDamage, type SourceWriter, type UnpackLimits } from './source-writer.ts';

/** An archive, and the folder of the source for its content; empty for the whole source. */
export type SourcePart = { file: string; at: string };

/**
 * Unpacks archives, each a tar (plain, gzip or zstd) or a zip, into `folder`, which exists. The limits are those of all
 * archives together. Returns a digest of the content, which does not depend on order, times and compression. Throws
 * SourceError.
 */
export async function unpackSource(
  parts: readonly SourcePart[],
  folder: string,
  limits: UnpackLimits,
): Promise<string> {
  const writer = createSourceWriter(folder, limits);
  try {
    for (const { file, at } of parts) {
      const below: Pick<SourceWriter, 'add'> = {
        add: (entry, open) => writer.add(entry && entryBelow(at, entry), open),
      };
      const format = await formatOf(file);
      await (format === 'zip' ? readZip(file, below) : readTar(file, format, below));
    }
    return await writer.finish();
  } catch (error) {
    if (error instanceof SourceError || !isDamage(error)) throw error;
    throw new SourceError('The archive is damaged or incomplete.', { cause: error });
  }
}

async function formatOf(file: string): Promise<ArchiveFormat> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(magicBytes), 0, magicBytes, 0);
    const format = archiveFormat(buffer.subarray(0, bytesRead));
    if (format) return format;
    throw new SourceError('The body is not a tar (plain, gzip or zstd) or zip archive.');
  } finally {
    await handle.close();
  }
}

async function readTar(
  file: string,
  format: Exclude<ArchiveFormat, 'zip'>,
  writer: Pick<SourceWriter, 'add'>,
): Promise<void> {
  const handle = await open(file);
  const tar = extract();
  const source = handle.createReadStream({ highWaterMark: 256 * 1024 });
  const taken = async () => {
    for await (const entry of tar) {
      const { name, type, mode = 0o644, linkname } = entry.header;
      const read = readEntry({ name, type: type ?? 'file', mode, target: linkname ?? '' });
      if (read?.kind !== 'file') entry.resume();
      await writer.add(read, async () => entry as unknown as Readable);
    }
  };
  const reading =
    format === 'tar'
      ? pipeline(source, tar)
      : pipeline(source, format === 'gzip' ? createGunzip() : createZstdDecompress(), tar);
  const results = await Promise.allSettled([taken(), reading]);
  // The refusal of an entry has aborted the stream. The stream's own error is less specific.
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** The Unix mode is in the upper half of the external attributes; https://libzip.org/specifications/extrafld.txt */
const unixTypes = new Map([
  [0o040000, 'directory'],
  [0o120000, 'symlink'],
  [0o100000, 'file'],
  [0, 'file'],
]);

async function readZip(file: string, writer: Pick<SourceWriter, 'add'>): Promise<void> {
  const handle = await open(file);
  try {
    const zip = await new Promise<ZipFile>((resolve, reject) =>
      fromFd(handle.fd, { lazyEntries: true, autoClose: false, validateEntrySizes: true }, (error, opened) =>
        error ? reject(error) : resolve(opened),
      ),
    );
    for await (const entry of entriesOf(zip)) {
      const unixMode = entry.externalFileAttributes >>> 16;
      const isFolder = entry.fileName.endsWith('/');
      const type = isFolder ? 'directory' : (unixTypes.get(unixMode & 0o170000) ?? 'special file');
      const content = () =>
        new Promise<Readable>((resolve, reject) =>
          zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream))),
        );
      const target = type === 'symlink' ? await textOf(await content()) : '';
      await writer.add(readEntry({ name: entry.fileName, type, mode: unixMode, target }), content);
    }
  } finally {
    await handle.close();
  }
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<ZipEntry> {
  for (let read = 0; read < zip.entryCount; read++) {
    const next = Promise.withResolvers<ZipEntry | undefined>();
    const ended = () => next.resolve(undefined);
    zip.once('entry', next.resolve).once('end', ended).once('error', next.reject);
    zip.readEntry();
    const entry = await next.promise.finally(() =>
      zip.off('entry', next.resolve).off('end', ended).off('error', next.reject),
    );
    if (!entry) return;
    yield entry;
  }
}

/** The target of a link. */
async function textOf(stream: Readable): Promise<string> {
  let text = '';
  for await (const piece of stream) {
    text += String(piece);
    if (text.length > 4_096) throw new SourceError('The archive has a symbolic link with a target that is too long.');
  }
  return text;
}
