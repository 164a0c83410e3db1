/**
 * A file on its way into a folder of blobs: written piece by piece in flat memory, its digest computed meanwhile. Until
 * it is kept it has a name that nobody looks for, so whoever dies in between leaves a leftover and nothing wrong.
 */
import { createHash, type Hash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Digest } from '../../lib/digest.ts';

/** As large as a read of the file system is cheap. */
const pieceBytes = 2 ** 20;

/**
 * After so much the disk is told to begin. What is left to the kernel is written when somebody waits for it: an engine
 * that makes the first container of an image waits for all that is not on its disk yet, in the unmount of an overlay.
 * 300 MB of an image of 100 MB cost the start 0.15 s so.
 */
const writeOutBytes = 2 ** 24;

export type StagedFile = {
  /** What is written until now. */
  readonly sizeBytes: number;
  /** Resolves when the piece is with the kernel: whoever waits for it holds one piece in memory, and no more. */
  write(piece: Uint8Array): Promise<void>;
  /** Of what is written until now. */
  digest(): Digest;
  /** Opens it; the handle stays usable after `keep` and `discard`. */
  open(): Promise<FileHandle>;
  /** Lets go of the file until somebody writes again; between processes, `resumeStaged` finds it. */
  rest(): Promise<void>;
  /**
   * Puts it at `path`, which is on the same file system; nothing can be written then. `isLasting`: so that it outlives a
   * loss of power.
   */
  keep(path: string, isLasting: boolean): Promise<void>;
  /** Removes it. After `keep` it does nothing. */
  discard(): Promise<void>;
};

/** Throws when the file exists. `digest`: of somebody who computes it of the same pieces. */
export async function stageFile(path: string, digest?: () => Digest): Promise<StagedFile> {
  const handle = await open(path, 'wx', 0o600);
  return staged(path, digest ?? createHash('sha256'), { sizeBytes: 0, handle });
}

/** Goes on with what an earlier one has left, by reading it once; undefined where there is none. */
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
  /** Nobody waits for it but the end of the file; what goes wrong is told where it matters that all is on the disk. */
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
  async function rest(): Promise<void> {
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
      // At its place, not at the end: a write that has failed half-way on a full disk is written over.
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
    rest,
    async keep(kept, isLasting) {
      const file = await opened();
      // A piece that failed half-way may have left more than counts.
      await file.truncate(sizeBytes);
      if (isLasting) await file.sync();
      await rest();
      await rename(path, kept);
      if (isLasting) await syncPath(dirname(kept));
    },
    async discard() {
      await rest();
      await rm(path, { force: true });
    },
  };
}

/** Of a file, its content; of a folder, the names in it: a new one is as lasting as the folder that has it. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
