/** Layers that have passed the gate once: the next engine or deployment that may have one costs no request. */

import type { Digest } from '../../lib/digest.ts';
import type { BlobCache } from '../blobs/blob-cache.ts';
import type { Descriptor } from '../manifests/manifest.ts';

/** What the cache is given while it passes by. */
export type Keeping = AsyncDisposable & {
  /** Resolves when the piece may change; pieces are written in the order of the calls. Never rejects. */
  write(piece: Uint8Array): Promise<void>;
  /** Nobody waits for the disk, nor for what is still being written. */
  keep(said: { digest: Digest; sizeBytes: number }): void;
};

/**
 * A disk that takes no more ends the keeping, and so does a cache that has no room; whoever reads the layer goes on. What
 * was not kept is gone when it is disposed of. `digest`: of what was written.
 */
export async function keepAside(cache: BlobCache, digest: () => Digest): Promise<Keeping> {
  let staged = await cache.stage(digest).catch(() => undefined);
  let last: Promise<void> = Promise.resolve();
  let isKept = false;
  const discard = async () => {
    const discarded = staged;
    staged = undefined;
    await discarded?.discard().catch(() => {});
  };
  const write = async (before: Promise<void>, piece: Uint8Array) => {
    await before;
    if (!staged) return;
    await staged.write(piece).catch(discard);
  };
  return {
    write(piece) {
      last = write(last, piece);
      return last;
    },
    keep(said) {
      // Nobody would hear that the disk took no more.
      if (!staged) return;
      isKept = true;
      const written = last.then(() => {
        if (!staged) throw new Error('the disk took no more');
      });
      cache.keep(staged, said, written);
    },
    async [Symbol.asyncDispose]() {
      if (isKept) return;
      await last;
      await discard();
    },
  };
}

/**
 * From the cache, or else as they come; what has come to its end is kept when it is what its digest says. `digestSoFar`: of
 * the chunks that were taken. Throws an Error where it has to be asked for again.
 */
export async function* cachedChunks(
  cache: BlobCache,
  { digest, sizeBytes }: Descriptor,
  upstream: AsyncIterable<Buffer>,
  digestSoFar: () => Digest,
): AsyncIterable<Buffer> {
  const found = await cache.read(digest);
  if (found?.sizeBytes === sizeBytes) {
    yield* found.stream as AsyncIterable<Buffer>;
    if (digestSoFar() === digest) return;
    await cache.drop(digest);
    throw new Error(`what was kept of ${digest} is damaged, and has been removed`);
  }
  found?.stream.destroy();
  await using keeping = await keepAside(cache, digestSoFar);
  let writing: Promise<void> | undefined;
  for await (const chunk of upstream) {
    await writing;
    writing = keeping.write(chunk);
    yield chunk;
  }
  await writing;
  keeping.keep({ digest, sizeBytes });
}
