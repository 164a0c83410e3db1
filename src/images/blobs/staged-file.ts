/**
 * A file that is being added to a folder of blobs. It is written in pieces with constant memory, and its digest is
 * computed during that. Until it is committed, it has a temporary name, so a crash only leaves a leftover file.
 */
import { createHash, type Hash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Digest } from '../../lib/digest.ts';

/** Larger reads of the file system are not cheaper. */
const pieceBytes = 2 ** 20;

/**
 * After this many bytes, writeback to the disk is started. Otherwise, the kernel writes when a caller waits for it: an
 * engine that creates the first container of an image waits for all unwritten data when it unmounts an overlay. 300 MB
 * of an image of 100 MB added 0.15 s to a start.
 */
const writeOutBytes = 2 ** 24;

export type StagedFile = {
  /** The bytes written so far. */
  readonly sizeBytes: number;
  /** Resolves when the kernel has the piece, so that a caller that waits holds only one piece in memory. */
  write(piece: Uint8Array): Promise<void>;
  /** Returns the digest of the bytes written so far. */
  digest(): Digest;
  /** Opens the file. The handle stays usable after `commit` and `discard`. */
  open(): Promise<FileHandle>;
  /** Closes the file until the next write. `resumeStaged` finds it, even from another process. */
  suspend(): Promise<void>;
  /**
   * Moves the file to `path`, which is on the same file system, and ends writing. `isLasting`: the file survives a
   * power failure.
   */
  commit(path: string, isLasting: boolean): Promise<void>;
  /** Removes the file. Does nothing after `commit`. */
  discard(): Promise<void>;
};

/** Throws if the file exists. `digest`: from a caller that computes it over the same pieces. */
export async function stageFile(path: string, digest?: () => Digest): Promise<StagedFile> {
  const handle = await open(path, 'wx', 0o600);
  return staged(path, digest ?? createHash('sha256'), { sizeBytes: 0, handle });
}

/** Resumes a partial file after reading it once. Undefined if it does not exist. */
export async function resumeStaged(path: string): Promise<StagedFile | undefined> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  try {
    for await (const piece of createReadStream(path, { highWaterMark: pieceBytes }) as AsyncIterable<Buffer>) {
      hash.update(piece);
      sizeBytes += piece.length;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return staged(path, hash, { sizeBytes });
}

function staged(
  path: string,
  hash: Hash | (() => Digest),
  begun: { sizeBytes: number; handle?: FileHandle },
): StagedFile {
  let { sizeBytes, handle } = begun;
  let toldBytes = sizeBytes;
  let isWritingOut = false;
  /** Only the end of the file waits for this. Errors are reported by the final sync. */
  function writeOut(file: FileHandle): void {
    if (isWritingOut || sizeBytes - toldBytes < writeOutBytes) return;
    isWritingOut = true;
    toldBytes = sizeBytes;
    void file
      .datasync()
      .catch(() => {})
      .finally(() => {
        isWritingOut = false;
      });
  }
  const opened = async () => {
    handle ??= await open(path, constants.O_WRONLY);
    return handle;
  };
  async function suspend(): Promise<void> {
    const resting = handle;
    handle = undefined;
    await resting?.close();
  }
  return {
    get sizeBytes() {
      return sizeBytes;
    },
    async write(piece) {
      const file = await opened();
      // Written at its position, not at the end, so that a failed write on a full disk is overwritten.
      for (let done = 0; done < piece.length; ) {
        const { bytesWritten } = await file.write(piece, done, piece.length - done, sizeBytes + done);
        done += bytesWritten;
      }
      if (typeof hash !== 'function') hash.update(piece);
      sizeBytes += piece.length;
      writeOut(file);
    },
    digest: () => (typeof hash === 'function' ? hash() : `sha256:${hash.copy().digest('hex')}`),
    open: () => open(path, constants.O_RDWR),
    suspend,
    async commit(kept, isLasting) {
      const file = await opened();
      // A failed piece may have been written in part.
      await file.truncate(sizeBytes);
      if (isLasting) await file.sync();
      await suspend();
      await rename(path, kept);
      if (isLasting) await syncPath(dirname(kept));
    },
    async discard() {
      await suspend();
      await rm(path, { force: true });
    },
  };
}

/**
 * Syncs the content of a file, or the names in a folder. A new folder is only durable once its parent folder is synced.
 */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
