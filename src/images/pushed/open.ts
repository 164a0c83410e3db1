/** The pushed images of a data directory, and what clears them. */
import type { Kysely } from 'kysely';
import { pushedRegistry, readPushedReference } from '../../config/values/pushed-image.ts';
import { wait } from '../../lib/wait.ts';
import { deleteUnusedNamespaces, renewNamespaces } from '../../store/image-namespaces.ts';
import { recordManifestPull } from '../../store/pushed-images.ts';
import { readSweepState } from '../../store/quarantine.ts';
import type { Tables } from '../../store/rows.ts';
import {
  isNamed,
  namedDigests,
  presentReferences,
  removeUnnamedBlobs,
  removeUnwantedManifests,
} from '../../store/unwanted-images.ts';
import { openBlobFolder } from '../blobs/blob-folder.ts';
import { createPushedImages, type PushedImages } from './pushed-image-store.ts';

const collectEveryMs = 5 * 60_000;

/** An hour for untagged images and those of ended sessions, 30 days for an account's unused images. */
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
  const collecting = startCollecting(images, keeping, { log, stop: stopping.signal });
  return {
    images,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await collecting;
    },
  };
}

async function startCollecting(
  images: PushedImages,
  keeping: Keeping,
  { log, stop }: { log: PushedParts['log']; stop: AbortSignal },
): Promise<void> {
  // The first run waits until the sweep has compared the database with the engine.
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

/**
 * Removes unwanted images: first rows, then the bytes that no row names. Each step determines what is left to do, so
 * that it can resume after a crash.
 */

type Keeping = {
  /**
   * How long untagged images, and those of removed owners, are retained after their last use: a push may be in
   * progress, or a deployment that has just ended may start again.
   */
  graceMs: number;
  /** How long an account's tagged images are retained after their last use. */
  keepMs: number;
};

type Collected = { manifests: number; files: number };

/**
 * `keepsFiles`: removes no blobs. This is also the case while the sweep is on hold, because an older copy of the
 * database does not contain blobs that were pushed since.
 */
export async function collect(
  images: PushedImages,
  { graceMs, keepMs }: Keeping,
  keepsFiles = false,
): Promise<Collected> {
  const { db, folder, now, turns, uploads } = images;
  const before = now() - graceMs;
  await uploads.clear();
  await renewNamespaces(db, now());
  for (const reference of await presentReferences(db, `${pushedRegistry}/`)) {
    const pushed = readPushedReference(reference);
    if (pushed) await recordManifestPull(db, pushed, now());
  }
  const manifests = await removeUnwantedManifests(db, { before, keptSince: now() - keepMs });
  await removeUnnamedBlobs(db, before);
  await deleteUnusedNamespaces(db, before);
  if (keepsFiles || (await readSweepState(db)).hold) return { manifests, files: 0 };
  // Listed before the names are read, so a blob that is added in between has a name or is not listed.
  const found = await folder.list();
  const named = await namedDigests(db);
  let files = 0;
  for (const digest of found) {
    if (named.has(digest)) continue;
    // The same blob cannot be added during this turn, and a client that has just added it has named it.
    await turns(digest, async () => {
      if (await isNamed(db, digest)) return;
      await folder.remove(digest);
      files++;
    });
  }
  return { manifests, files };
}
