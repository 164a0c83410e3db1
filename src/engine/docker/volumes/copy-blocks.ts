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
   * what is ours. `meanwhile` is called every few milliseconds.
   */
  copyGently(ranges: readonly ByteRange[], meanwhile: () => void, signal?: AbortSignal): Promise<void>;
  /** Through memory, where it stays, and without waiting for a thread: it is little. */
  copyNow(ranges: readonly ByteRange[]): Promise<void>;
};

const chunkBytes = 2 ** 20;
/** What is smaller the disk takes longer for than for its bytes. */
const largeBytes = 64 * 2 ** 10;
/** After so much work comes as long a rest. */
const workMs = 4;

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
    async copyGently(ranges, meanwhile, signal) {
      let begunAt = performance.now();
      for (const range of chunksOf(ranges)) {
        signal?.throwIfAborted();
        await copyRange(from, range.end - range.start < largeBytes ? to : pastMemory, range, buffer);
        const workedMs = performance.now() - begunAt;
        if (workedMs < workMs) continue;
        meanwhile();
        await wait(workedMs, signal);
        begunAt = performance.now();
      }
    },
    async copyNow(ranges) {
      for (const range of chunksOf(ranges)) {
        copyRangeNow(from.fd, to.fd, range, buffer);
        if (range.end - range.start === chunkBytes) await others();
      }
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

function chunksOf(ranges: readonly ByteRange[]): ByteRange[] {
  return ranges.flatMap(({ start, end }) =>
    Array.from({ length: Math.ceil((end - start) / chunkBytes) }, (_, index) => {
      const from = start + index * chunkBytes;
      return { start: from, end: Math.min(end, from + chunkBytes) };
    }),
  );
}

async function copyRange(from: FileHandle, to: FileHandle, { start, end }: ByteRange, buffer: Uint8Array) {
  const { bytesRead } = await from.read(buffer, 0, end - start, start);
  expectLength(bytesRead, end - start);
  const { bytesWritten } = await to.write(buffer, 0, end - start, start);
  expectLength(bytesWritten, end - start);
}

function copyRangeNow(from: number, to: number, { start, end }: ByteRange, buffer: Uint8Array) {
  expectLength(readSync(from, buffer, 0, end - start, start), end - start);
  expectLength(writeSync(to, buffer, 0, end - start, start), end - start);
}

function expectLength(bytes: number, wanted: number): void {
  if (bytes !== wanted) throw new Error(`${bytes} of ${wanted} bytes could be copied`);
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
