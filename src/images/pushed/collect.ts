/**
 * Removes unwanted images: first rows, then the bytes that no row names. Each step determines what is left to do, so
 * that it can resume after a crash.
 */
import { pushedRegistry, readPushedReference } from '../../config/values/pushed-image.ts';
import { forgetNamespaces, noteAlive } from '../../store/image-namespaces.ts';
import { notePulledManifest } from '../../store/pushed-images.ts';
import { readSweepState } from '../../store/quarantine.ts';
import {
  isNamed,
  namedDigests,
  presentReferences,
  removeUnnamedBlobs,
  removeUnwantedManifests,
} from '../../store/unwanted-images.ts';
import type { PushedImages } from './pushed-image-store.ts';

export type Keeping = {
  /**
   * How long untagged images, and those of removed owners, are retained after their last use: a push may be in
   * progress, or a deployment that has just ended may start again.
   */
  graceMs: number;
  /** How long an account's tagged images are retained after their last use. */
  keepMs: number;
};

export type Collected = { manifests: number; files: number };

/**
 * `keepsFiles`: removes no bytes this time. Nor does it while the sweep is on hold: an older copy of the database does not
 * name what was pushed since.
 */
export async function collect(
  images: PushedImages,
  { graceMs, keepMs }: Keeping,
  keepsFiles = false,
): Promise<Collected> {
  const { db, folder, now, turns, uploads } = images;
  const before = now() - graceMs;
  await uploads.clear();
  await noteAlive(db, now());
  for (const reference of await presentReferences(db, `${pushedRegistry}/`)) {
    const pushed = readPushedReference(reference);
    if (pushed) await notePulledManifest(db, pushed, now());
  }
  const manifests = await removeUnwantedManifests(db, { before, keptSince: now() - keepMs });
  await removeUnnamedBlobs(db, before);
  await forgetNamespaces(db, before);
  if (keepsFiles || (await readSweepState(db)).hold) return { manifests, files: 0 };
  // Listed before the names are read: a blob that comes in between has a name, or is not listed.
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
