/**
 * Blobs that can be had again from elsewhere, within a budget: the least recently used leaves. Nobody waits for the disk,
 * so a loss of power can leave one that is not what its name says: who reads it compares, and drops it.
 */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Digest } from '../../lib/digest.ts';
import { type Adopted, type ByteRange, type OpenedBlob, openBlobFolder } from './blob-folder.ts';
import { type StagedFile, stageFile } from './staged-file.ts';

/** A use is written down, for the order after a restart, when the last one noted is older than this. */
const noteEveryMs = 60_000;

/** Closing it waits for what is being kept. */
export type BlobCache = AsyncDisposable & {
  /** Undefined when it is not there. */
  sizeOf(digest: Digest): number | undefined;
  read(digest: Digest, range?: ByteRange): Promise<{ sizeBytes: number; stream: Readable } | undefined>;
  /** For whoever reads it piece by piece, and has to close it. */
  open(digest: Digest): Promise<OpenedBlob | undefined>;
  /**
   * A file to write a blob into while it passes by; `digest`: of somebody who computes it of the same pieces. What is
   * written counts to the budget, and what is kept makes room for it. A write for which there is none discards the file
   * and throws: it has become larger than the budget, or others that pass by at the same time have the rest.
   */
  stage(digest?: () => Digest): Promise<StagedFile>;
  /** Takes it. */
  adopt(staged: StagedFile, said: { digest: Digest; sizeBytes?: number }): Promise<Adopted>;
  /** As `adopt`, when all is `written`, while others go on; what goes wrong costs the blob alone. */
  keep(staged: StagedFile, said: { digest: Digest; sizeBytes?: number }, written: Promise<void>): void;
  /** Of one that is not what its name says. */
  drop(digest: Digest): Promise<void>;
  /** What all that is kept takes. */
  usedBytes(): number;
};

/** `twin`: as of a folder of blobs; what is shared with it counts to the budget all the same. */
export type BlobCacheOptions = { folder: string; twin?: string; budgetBytes: number; now: () => number };

/** Clears what a process that died was writing: nobody else uses the folder. */
export async function openBlobCache({ folder, twin, budgetBytes, now }: BlobCacheOptions): Promise<BlobCache> {
  const blobs = await openBlobFolder(folder, twin, false);
  await blobs.clearStaged(Number.POSITIVE_INFINITY);
  /** The least recently used first. */
  const known = new Map<Digest, { sizeBytes: number; notedAt: number }>();
  let usedBytes = 0;
  let stagedBytes = 0;
  const found = await Promise.all(
    (await blobs.list()).map(async (digest) => ({
      digest,
      sizeBytes: (await blobs.sizeOf(digest)) ?? 0,
      usedAt: (await blobs.usedAt(digest)) ?? 0,
    })),
  );
  for (const { digest, sizeBytes, usedAt } of found.toSorted((a, b) => a.usedAt - b.usedAt))
    add(digest, sizeBytes, usedAt);
  await makeRoom();

  function add(digest: Digest, sizeBytes: number, notedAt: number): void {
    forget(digest);
    known.set(digest, { sizeBytes, notedAt });
    usedBytes += sizeBytes;
  }

  function forget(digest: Digest): void {
    usedBytes -= known.get(digest)?.sizeBytes ?? 0;
    known.delete(digest);
  }

  async function makeRoom(): Promise<void> {
    for (const digest of known.keys()) {
      if (usedBytes + stagedBytes <= budgetBytes) return;
      forget(digest);
      await blobs.remove(digest);
    }
  }

  /** One after the other: where there is no room for several, the first gives up and leaves its own to the others. */
  let reserving: Promise<void> = Promise.resolve();

  async function stage(digest?: () => Digest): Promise<StagedFile> {
    const file = await stageFile(blobs.stagingPath(randomUUID()), digest);
    let counted = 0;
    const uncount = () => {
      stagedBytes -= counted;
      counted = 0;
    };
    const discard = async () => {
      await file.discard();
      uncount();
    };
    const reserve = async (bytes: number) => {
      if (stagedBytes + bytes > budgetBytes) {
        await discard();
        throw new Error('the cache has no room for it');
      }
      stagedBytes += bytes;
      counted += bytes;
      await makeRoom();
    };
    return {
      get sizeBytes() {
        return file.sizeBytes;
      },
      async write(piece) {
        const reserved = reserving.then(() => reserve(piece.length));
        reserving = reserved.catch(() => {});
        await reserved;
        await file.write(piece);
      },
      digest: file.digest,
      rest: file.rest,
      async keep(path, isLasting) {
        await file.keep(path, isLasting);
        uncount();
      },
      discard,
    };
  }

  async function adopt(staged: StagedFile, said: { digest: Digest; sizeBytes?: number }): Promise<Adopted> {
    const { sizeBytes } = staged;
    const adopted = await blobs.adopt(staged, said);
    if (adopted !== 'kept') return adopted;
    await blobs.touch(said.digest, now());
    add(said.digest, sizeBytes, now());
    await makeRoom();
    return adopted;
  }

  /** What `opening` comes to, noted as a use. */
  async function used<T>(digest: Digest, opening: () => Promise<T | undefined>): Promise<T | undefined> {
    const entry = known.get(digest);
    if (!entry) return undefined;
    const found = await opening();
    if (!found) {
      forget(digest);
      return undefined;
    }
    const isDue = now() - entry.notedAt >= noteEveryMs || now() < entry.notedAt;
    // It may have left while it was opened; who reads it reads on.
    if (known.has(digest)) add(digest, entry.sizeBytes, isDue ? now() : entry.notedAt);
    if (isDue) await blobs.touch(digest, now());
    return found;
  }

  const keeping = new Set<Promise<unknown>>();

  return {
    adopt,
    sizeOf: (digest) => known.get(digest)?.sizeBytes,
    keep(staged, said, written) {
      const kept = written
        .then(() => adopt(staged, said))
        .catch(() => staged.discard())
        .finally(() => keeping.delete(kept));
      keeping.add(kept);
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(keeping);
    },
    read: (digest, range) => used(digest, () => blobs.read(digest, range)),
    open: (digest) => used(digest, () => blobs.open(digest)),
    stage,
    async drop(digest) {
      forget(digest);
      await blobs.remove(digest);
    },
    usedBytes: () => usedBytes,
  };
}
