/** A source as the service receives it: a tar file, compressed with zstd, in the temporary folder until it is sent. */
import { createHash } from 'node:crypto';
import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { optionsPath, type SourceOptions } from '../../folder/source-options.ts';
import { type Entry, packEntries } from './folder-listing.ts';

export type SourceArchive = {
  /** Reads the file while it is sent. */
  body: Blob;
  /** The digest of the tar file. */
  digest: string;
  remove(): Promise<void>;
};

/** Throws a PushFault if a file cannot be read. Call `remove` when it is sent. */
export async function packSource(
  entries: readonly Entry[],
  options: SourceOptions,
  signal: AbortSignal,
): Promise<SourceArchive> {
  const place = await mkdtemp(join(tmpdir(), 'berth-source-'));
  const remove = () => rm(place, { recursive: true, force: true });
  try {
    const file = join(place, 'source.tar.zst');
    const digest = createHash('sha256');
    const hashed = new PassThrough().on('data', (piece: Buffer) => digest.update(piece));
    const content = JSON.stringify(options);
    const made = { kind: 'made', path: optionsPath, mode: 0o600, content } as const;
    const tar = packEntries([made, ...entries]);
    // 60 MiB of source code take 0.6 s. With gzip they take 2.5 s and are not smaller.
    await pipeline(tar, hashed, createZstdCompress(), createWriteStream(file, { mode: 0o600 }), { signal });
    return { body: await openAsBlob(file, { type: 'application/zstd' }), digest: digest.digest('hex'), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
