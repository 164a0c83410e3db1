/**
 * Copies of file systems that are in use, of which the kernel tells what is written meanwhile. All is copied beside the
 * writers, then what they have written since, until that is little; so that under the freeze only the last of it is copied.
 */
import { readFile, stat } from 'node:fs/promises';
import { EngineFault } from '../../engine.ts';
import { type BlockMap, bytesOf, createBlockMap } from './block-map.ts';
import { type CopiedFile, openCopiedFile, rangesOf } from './copy-blocks.ts';
import { type FollowedWrites, followWrites, NotFollowed } from './follow-writes.ts';
import { longestFreezeSeconds } from './freeze.ts';
import type { CopiedVolume } from './frozen-copy.ts';
import { readMounts } from './mount-table.ts';
import { runProgram } from './volume-programs.ts';

/** Copied in a moment. */
const littleBytes = 2 ** 20;
/** Who writes faster than is copied will not be caught up with. */
const mostRounds = 5;
/** The kernel keeps some 20,000 writes for each processor until they are read. */
const noteEveryMs = 5;

export type CopyBeside = AsyncDisposable & {
  /** Under the freeze. Throws EngineFault where it takes longer, or than that lasts: more is written than is copied. */
  finish(askedMs: number): Promise<void>;
  /** After it: the copies are whole. Throws NotFollowed where they may not be. */
  expectWhole(): Promise<void>;
};

type Followed = CopiedFile & { device: string; fileBytes: number; changed: BlockMap; image: string };

/** Throws NotFollowed where the kernel does not tell. */
export async function copyFollowed(volumes: readonly CopiedVolume[], signal?: AbortSignal): Promise<CopyBeside> {
  await using opening = new AsyncDisposableStack();
  const mounts = volumes.map(({ mount }) => mount);
  const devices = await devicesOf(mounts);
  const writes = opening.use(await followWrites(devices.map(({ number }) => number)));
  const sync = () => runProgram(['sync', '--file-system', ...mounts], undefined, signal);
  const files: Followed[] = [];
  for (const [index, { image, copy }] of volumes.entries()) {
    const { size: fileBytes } = await stat(image);
    const file = opening.use(await openCopiedFile(image, copy, fileBytes));
    files.push({ ...file, device: devices[index]!.number, fileBytes, changed: createBlockMap(fileBytes), image });
  }
  const notes = openNotes(writes, files);
  opening.use(notes);
  for (const file of files) await file.copyGently(await rangesOf(file.image, signal), signal);
  for (let round = 0, left = Infinity; left > littleBytes && round < mostRounds; round++) {
    await sync();
    notes.read();
    left = 0;
    for (const file of files) {
      const changed = file.changed.take();
      left += bytesOf(changed);
      await file.copyGently(changed, signal);
    }
  }
  // Nobody is held back for a copy that is not whole already.
  await writes.expectAll();
  const opened = opening.move();
  return {
    async finish(askedMs) {
      const withinMs = Math.min(askedMs, longestFreezeSeconds * 1000);
      const until = performance.now() + withinMs;
      notes.read();
      for (const file of files) if (!(await file.copyNow(file.changed.take(), until))) throw tooMuchWritten(withinMs);
    },
    async expectWhole() {
      await writes.expectAll();
      await expectSame(files, devices, mounts);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Whatever else is waited for, such as a sync or the freeze itself. `read` throws what has been amiss since. */
function openNotes(writes: FollowedWrites, files: readonly Followed[]): Disposable & { read(): void } {
  let fault: unknown;
  const note = () => {
    try {
      noteWrites(writes, files);
    } catch (error) {
      fault ??= error;
    }
  };
  const timer = setInterval(note, noteEveryMs);
  return {
    read() {
      note();
      if (fault !== undefined) throw fault;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function tooMuchWritten(withinMs: number): EngineFault {
  return new EngineFault(
    'bad-request',
    `So much is written to the volumes that whoever writes would have to wait for more than ${Math.round(withinMs / 1000)} s ` +
      'for the last of the copy.',
  );
}

function noteWrites(writes: FollowedWrites, files: readonly Followed[]): void {
  for (const { device, ...range } of writes.read()) {
    const file = files.find((each) => each.device === device);
    // The file system has grown.
    if (file && range.end > file.fileBytes) throw new NotFollowed('the volume is larger than it was');
    file?.changed.add(range);
  }
}

/** `uses`: how often the kernel has had a device until then; its number alone comes again. */
type Device = { number: string; uses: string };

async function devicesOf(mounts: readonly string[]): Promise<Device[]> {
  const table = await readMounts();
  const found = mounts.map(async (mount) => {
    const number = table.get(mount)?.number;
    const uses = number && (await readFile(`/sys/dev/block/${number}/diskseq`, 'utf8').catch(() => undefined));
    if (!number || !uses) throw new NotFollowed('the kernel does not number what is mounted');
    return { number, uses };
  });
  return await Promise.all(found);
}

async function expectSame(files: readonly Followed[], before: readonly Device[], mounts: readonly string[]) {
  const now = await devicesOf(mounts);
  const sizes = await Promise.all(files.map(({ image }) => stat(image)));
  const isSame = before.every(({ number, uses }, index) => now[index]!.number === number && now[index]!.uses === uses);
  if (!isSame || sizes.some(({ size }, index) => size !== files[index]!.fileBytes))
    throw new NotFollowed('the volume was mounted anew, or has grown');
}
