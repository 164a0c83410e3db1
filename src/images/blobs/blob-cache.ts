/**
 * Blobs that can be downloaded again, within a budget: the least recently used is evicted. Blobs are not synced to the
 * disk, so a power failure can leave one that does not match its digest. The reader compares the digest and drops the
 * blob.
 */
import { randomUUID } from 'node:crypto';
import type { Digest } from '../../lib/digest.ts';
import { type Adopted, type OpenedBlob, openBlobFolder } from './blob-folder.ts';
import { type StagedFile, stageFile } from './staged-file.ts';

/** A use is recorded, for the order after a restart, if the last record is older than this. */
const recordEveryMs = 60_000;

export type BlobCache = {
  /** Undefined if the blob is not in the cache. */
  sizeOf(digest: Digest): number | undefined;
  /** The caller reads it piece by piece and closes it. It stays readable when it is evicted. */
  open(digest: Digest): Promise<OpenedBlob | undefined>;
  /** A file to write a blob into; it counts to the budget once it is adopted. `digest`: of a caller that computes it. */
  stage(digest?: () => Digest): Promise<StagedFile>;
  /**
   * Takes the file and evicts others if necessary. A file larger than the budget is evicted at once, before any other.
   */
  adopt(staged: StagedFile, said: { digest: Digest; sizeBytes?: number }): Promise<Adopted>;
  /** Removes a blob that does not match its digest. */
  drop(digest: Digest): Promise<void>;
  /** The size of all blobs. */
  usedBytes(): number;
};

/** `twin`: as in a folder of blobs. Shared blobs also count towards the budget. */
export type BlobCacheOptions = { folder: string; twin?: string; budgetBytes: number; now: () => number };

/** Removes partial files of a process that died. Other processes do not use the folder. */
export async function openBlobCache({ folder, twin, budgetBytes, now }: BlobCacheOptions): Promise<BlobCache> {
  const blobs = await openBlobFolder(folder, twin, false);
  await blobs.clearStaged(Number.POSITIVE_INFINITY);
  /** The least recently used first. */
  const known = new Map<Digest, { sizeBytes: number; notedAt: number }>();
  let usedBytes = 0;
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
      if (usedBytes <= budgetBytes) return;
      forget(digest);
      await blobs.remove(digest);
    }
  }

  async function adopt(staged: StagedFile, said: { digest: Digest; sizeBytes?: number }): Promise<Adopted> {
    const { sizeBytes } = staged;
    if (sizeBytes > budgetBytes) {
      await staged.discard();
      return 'kept';
    }
    const adopted = await blobs.adopt(staged, said);
    if (adopted !== 'kept') return adopted;
    await blobs.touch(said.digest, now());
    add(said.digest, sizeBytes, now());
    await makeRoom();
    return adopted;
  }

  /** The result of `opening`, counted as a use. */
  async function used<T>(digest: Digest, opening: () => Promise<T | undefined>): Promise<T | undefined> {
    const entry = known.get(digest);
    if (!entry) return undefined;
    const found = await opening();
    if (!found) {
      forget(digest);
      return undefined;
    }
    const isDue = now() - entry.notedAt >= recordEveryMs || now() < entry.notedAt;
    // The blob may have been evicted while it was opened. Its reader is not affected.
    if (known.has(digest)) add(digest, entry.sizeBytes, isDue ? now() : entry.notedAt);
    if (isDue) await blobs.touch(digest, now());
    return found;
  }

  return {
    adopt,
    sizeOf: (digest) => known.get(digest)?.sizeBytes,
    open: (digest) => used(digest, () => blobs.open(digest)),
    stage: (digest) => stageFile(blobs.stagingPath(randomUUID()), digest),
    async drop(digest) {
      forget(digest);
      await blobs.remove(digest);
    },
    usedBytes: () => usedBytes,
  };
}
