/**
 * Blobs on disk, each once, under its digest. They are complete: a blob gets its name after it was fully written and
 * its digest was verified.
 */

import { createReadStream } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Digest, isDigest } from '../../lib/digest.ts';
import { ifThere } from '../../lib/missing-files.ts';
import { type StagedFile, syncPath } from './staged-file.ts';

/** Each reader has at most two reads of this size in progress. */
const readBytes = 256 * 1024;

/** From `first` to `last`, both inclusive, as in HTTP. */
export type ByteRange = { first: number; last: number };

/** `digest`, `size`: the file does not match, and the staged file was removed. */
export type Adopted = 'kept' | 'other-digest' | 'other-size';

export type OpenedBlob = { sizeBytes: number; file: FileHandle };

export type BlobFolder = {
  sizeOf(digest: Digest): Promise<number | undefined>;
  /** The stream must be read or destroyed. An opened blob can be read to its end even if it is removed. */
  read(digest: Digest, range?: ByteRange): Promise<{ sizeBytes: number; stream: Readable } | undefined>;
  /** For reads of pieces. The result must be closed. */
  open(digest: Digest): Promise<OpenedBlob | undefined>;
  /** Returns the path for a staged file of this folder. */
  stagingPath(name: string): string;
  /** Adds a completely written file, if it matches. */
  adopt(staged: StagedFile, said: { digest: Digest; sizeBytes?: number }): Promise<Adopted>;
  /** Records a use of the blob, which postpones its removal. */
  touch(digest: Digest, at: number): Promise<void>;
  /** Returns the last recorded use. */
  usedAt(digest: Digest): Promise<number | undefined>;
  remove(digest: Digest): Promise<void>;
  list(): Promise<Digest[]>;
  /** Removes staged files that were not written to since `before` (milliseconds), except those in progress. */
  clearStaged(before: number, isUnderWay?: (name: string) => boolean): Promise<void>;
  pathOf(digest: Digest): string;
};

/**
 * Makes `folder`, `<folder>/sha256` and `<folder>/staged`. `twin`: another such folder on the same file system. Blobs
 * in both are hard links, stored once until both names are gone. `isLasting`: blobs survive a power failure; otherwise
 * readers must verify the digest.
 */
export async function openBlobFolder(folder: string, twin?: string, isLasting = true): Promise<BlobFolder> {
  const blobs = join(folder, 'sha256');
  const stagedFiles = join(folder, 'staged');
  await mkdir(blobs, { recursive: true, mode: 0o700 });
  await mkdir(stagedFiles, { recursive: true, mode: 0o700 });

  const pathOf = (digest: Digest) => {
    // The digest becomes part of a path, so it must be valid.
    if (!isDigest(digest)) throw new Error(`Not a digest: ${JSON.stringify(digest)}`);
    return join(blobs, nameOf(digest));
  };

  async function openBlob(digest: Digest): Promise<OpenedBlob | undefined> {
    const file = await ifThere(open(pathOf(digest)));
    return file && { sizeBytes: (await file.stat()).size, file };
  }

  /**
   * Links the twin's blob into this folder. Returns false if the twin does not have it, or if the file system has no
   * hard links.
   */
  async function shareTwin(digest: Digest): Promise<boolean> {
    if (twin === undefined) return false;
    try {
      await link(join(twin, 'sha256', nameOf(digest)), pathOf(digest));
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (['ENOENT', 'EXDEV', 'EPERM', 'EMLINK', 'EOPNOTSUPP'].includes(code)) return false;
      if (code !== 'EEXIST') throw error;
    }
    if (isLasting) {
      // The twin may not have waited for the disk.
      await syncPath(pathOf(digest));
      await syncPath(blobs);
    }
    return true;
  }

  return {
    pathOf,
    stagingPath: (name) => join(stagedFiles, name),
    async sizeOf(digest) {
      return (await ifThere(stat(pathOf(digest))))?.size;
    },
    async read(digest, range) {
      const opened = await openBlob(digest);
      if (!opened) return undefined;
      const part = range && { start: range.first, end: range.last };
      const stream = createReadStream('', { fd: opened.file, highWaterMark: readBytes, ...part });
      return { sizeBytes: opened.sizeBytes, stream };
    },
    open: openBlob,
    async adopt(staged, { digest, sizeBytes }) {
      const found = staged.digest();
      const fault =
        sizeBytes !== undefined && staged.sizeBytes !== sizeBytes
          ? 'other-size'
          : found !== digest
            ? 'other-digest'
            : undefined;
      if (fault) {
        await staged.discard();
        return fault;
      }
      if (await shareTwin(digest)) await staged.discard();
      else await staged.commit(pathOf(digest), isLasting);
      return 'kept';
    },
    async touch(digest, at) {
      await ifThere(utimes(pathOf(digest), at / 1000, at / 1000));
    },
    async usedAt(digest) {
      return (await ifThere(stat(pathOf(digest))))?.mtimeMs;
    },
    async remove(digest) {
      await rm(pathOf(digest), { force: true });
    },
    async list() {
      const names = await readdir(blobs);
      return names.map((name) => `sha256:${name}`).filter(isDigest);
    },
    async clearStaged(before, isUnderWay = () => false) {
      for (const name of await readdir(stagedFiles)) {
        if (isUnderWay(name)) continue;
        const path = join(stagedFiles, name);
        const facts = await ifThere(stat(path));
        if (facts && facts.mtimeMs < before) await rm(path, { force: true });
      }
    },
  };
}

function nameOf(digest: Digest): string {
  return digest.slice('sha256:'.length);
}
