/** Copying parts of a file into another one, at a pace that leaves the disk to others. */
import { constants, readSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setImmediate as others } from 'node:timers/promises';
import { wait } from '../../../lib/wait.ts';
import { type ByteRange, blockBytes } from './block-map.ts';
import { NotFollowed } from './follow-writes.ts';
import { ProgramError, runProgram } from './volume-programs.ts';

/** A file that is copied while it changes. */
export type CopiedFile = AsyncDisposable & {
  /**
   * Large parts past the memory of the host, and not without a rest, so that who syncs what is his own does not wait for
   * what is ours.
   */
  copyGently(ranges: Iterable<ByteRange>, signal?: AbortSignal): Promise<void>;
  /**
   * Through memory, where it stays, and without waiting for a thread: it is little. False where it was not, and not all
   * of it was copied at the instant `until` of `performance.now()`.
   */
  copyNow(ranges: Iterable<ByteRange>, until: number): Promise<boolean>;
};

const chunkBytes = 2 ** 20;
/** What is smaller the disk takes longer for than for its bytes. */
const largeBytes = 64 * 2 ** 10;
/** After so much work comes as long a rest. */
const workMs = 4;
/** Others of this process wait for as long, where it is not little. */
const longestTurnMs = 10;

/** `copy` is empty, or not there yet; it gets the length of the file. */
export async function openCopiedFile(file: string, copy: string, fileBytes: number): Promise<CopiedFile> {
  await using opening = new AsyncDisposableStack();
  const from = opening.use(await open(file, 'r'));
  const to = opening.use(await open(copy, 'w', 0o600));
  await to.truncate(fileBytes);
  const pastMemory = opening.use(await openPastMemory(copy));
  const buffer = alignedBuffer();
  const opened = opening.move();
  return {
    async copyGently(ranges, signal) {
      let begunAt = performance.now();
      for (const range of chunksOf(ranges)) {
        signal?.throwIfAborted();
        await copyRange(from, range.end - range.start < largeBytes ? to : pastMemory, range, buffer);
        const workedMs = performance.now() - begunAt;
        if (workedMs < workMs) continue;
        await wait(workedMs, signal);
        begunAt = performance.now();
      }
    },
    async copyNow(ranges, until) {
      let turnEndsAt = performance.now() + longestTurnMs;
      for (const range of chunksOf(ranges)) {
        if (performance.now() >= until) return false;
        copyRangeNow(from.fd, to.fd, range, buffer);
        if (performance.now() < turnEndsAt) continue;
        await others();
        turnEndsAt = performance.now() + longestTurnMs;
      }
      return true;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** In memory alone where the file system of the host knows nothing else. */
async function openPastMemory(file: string): Promise<FileHandle> {
  return await open(file, constants.O_WRONLY | constants.O_DIRECT).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EINVAL') throw error;
    return open(file, constants.O_WRONLY);
  });
}

declare const WebAssembly: { Memory: new (size: { initial: number }) => { buffer: ArrayBuffer } };

/** What goes past memory has to begin at a page, and that of WebAssembly does. */
function alignedBuffer(): Uint8Array {
  return new Uint8Array(new WebAssembly.Memory({ initial: chunkBytes / 2 ** 16 }).buffer);
}

function* chunksOf(ranges: Iterable<ByteRange>): Iterable<ByteRange> {
  for (const { start, end } of ranges)
    for (let from = start; from < end; from += chunkBytes) yield { start: from, end: Math.min(end, from + chunkBytes) };
}

async function copyRange(from: FileHandle, to: FileHandle, { start, end }: ByteRange, buffer: Uint8Array) {
  const { bytesRead } = await from.read(buffer, 0, end - start, start);
  expectRead(bytesRead, end - start);
  const { bytesWritten } = await to.write(buffer, 0, end - start, start);
  expectWritten(bytesWritten, end - start);
}

function copyRangeNow(from: number, to: number, { start, end }: ByteRange, buffer: Uint8Array) {
  expectRead(readSync(from, buffer, 0, end - start, start), end - start);
  expectWritten(writeSync(to, buffer, 0, end - start, start), end - start);
}

function expectRead(bytes: number, wanted: number): void {
  if (bytes !== wanted) throw new Error(`${bytes} of ${wanted} bytes could be read`);
}

/** A disk that becomes full takes a part of the last write. */
function expectWritten(bytes: number, wanted: number): void {
  if (bytes !== wanted)
    throw Object.assign(new Error(`${bytes} of ${wanted} bytes could be written`), { code: 'ENOSPC' });
}

/** What is no hole in a file, also what is not on the disk yet. Throws NotFollowed where its file system does not tell. */
export async function rangesOf(file: string, signal?: AbortSignal): Promise<ByteRange[]> {
  try {
    return parseExtents(await runProgram(['filefrag', '-e', `-b${blockBytes}`, file], undefined, signal));
  } catch (error) {
    throw error instanceof ProgramError ? new NotFollowed('where it has holes is not known', { cause: error }) : error;
  }
}

/** PURE. A line for each, which begins with its number and the first and the last block of the file; at the end, that was all. */
export function parseExtents(told: string): ByteRange[] {
  const found = [...told.matchAll(/^ *(\d+): +(\d+)\.\. *(\d+):/gm)];
  if (!/ extents? found\s*$/.test(told) || found.some(([, number], index) => Number(number) !== index))
    throw new NotFollowed('where it has holes is not told as expected');
  return found.map(([, , first, last]) => ({
    start: Number(first) * blockBytes,
    end: (Number(last) + 1) * blockBytes,
  }));
}
