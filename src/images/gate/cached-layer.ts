/** Layers that have passed the gate once: the next engine or deployment that may have one costs no request. */
import type { BlobCache } from '../blobs/blob-cache.ts';
import type { Digest } from '../blobs/digest.ts';
import type { StagedFile } from '../blobs/staged-file.ts';
import type { Descriptor } from '../manifests/manifest.ts';

/**
 * From the cache, or else as they come; what has come to its end is kept when it is what its digest says. A disk that
 * takes no more ends the keeping, and not the pull. `digestSoFar`: of the chunks that were taken.
 */
export async function* cachedChunks(
  cache: BlobCache,
  { digest, sizeBytes }: Descriptor,
  upstream: AsyncIterable<Buffer>,
  digestSoFar: () => Digest,
): AsyncIterable<Buffer> {
  const found = await cache.read(digest);
  if (found?.sizeBytes === sizeBytes) return yield* found.stream as AsyncIterable<Buffer>;
  found?.stream.destroy();
  let staged: StagedFile | undefined = await cache.stage(digestSoFar).catch(() => undefined);
  try {
    let writing: Promise<void> | undefined;
    for await (const chunk of upstream) {
      await writing;
      writing = staged?.write(chunk).catch(async () => {
        await staged?.discard();
        staged = undefined;
      });
      yield chunk;
    }
    await writing;
    // Nobody waits for the disk: the engine has the layer by then.
    if (staged) cache.keep(staged, { digest, sizeBytes });
    staged = undefined;
  } finally {
    await staged?.discard();
  }
}
