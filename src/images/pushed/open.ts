/** The pushed images of a data directory, and what clears them. */
import type { Kysely } from 'kysely';
import { wait } from '../../lib/wait.ts';
import type { Tables } from '../../store/rows.ts';
import { openBlobFolder } from '../blobs/blob-folder.ts';
import { collect, type Keeping } from './collect.ts';
import { createPushedImages, type PushedImages } from './pushed-image-store.ts';

const collectEveryMs = 5 * 60_000;

/** An hour for what no tag names or whose session has ended, 30 days for an account's images that nothing uses. */
const usualKeeping: Keeping = { graceMs: 3_600_000, keepMs: 30 * 24 * 3_600_000 };

/** `folder`, `twin`: as of a folder of blobs. */
export type OpenPushedSettings = { folder: string; twin?: string; keeping?: Keeping };

export type PushedParts = {
  db: Kysely<Tables>;
  now: () => number;
  log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
};

/** Every few minutes until closed, clears leftovers of earlier processes and files that no image uses. */
export async function openPushedImages(
  { folder, twin, keeping = usualKeeping }: OpenPushedSettings,
  { db, now, log }: PushedParts,
): Promise<AsyncDisposable & { images: PushedImages }> {
  const images = createPushedImages(db, await openBlobFolder(folder, twin), now);
  const stopping = new AbortController();
  const collecting = keepCollecting(images, keeping, { log, stop: stopping.signal });
  return {
    images,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await collecting;
    },
  };
}

async function keepCollecting(
  images: PushedImages,
  keeping: Keeping,
  { log, stop }: { log: PushedParts['log']; stop: AbortSignal },
): Promise<void> {
  // Until the sweep has had time to compare the database with the engine.
  for (let isFirst = true; !stop.aborted; isFirst = false) {
    try {
      const collected = await collect(images, keeping, isFirst);
      if (collected.manifests + collected.files > 0) log.info(collected, 'removed unused pushed images');
    } catch (error) {
      log.error({ err: error }, 'pushed images were not collected, will be tried again');
    }
    await wait(collectEveryMs, stop);
  }
}
