/** Removes the engine's copies of pushed images that no longer exist. */
import { fullReference } from '../config/values/image-names.ts';
import { readPushedReference } from '../config/values/pushed-image.ts';
import type { Engine } from '../engine/engine.ts';
import type { Database } from '../store/database.ts';
import { deletePulled, pulledImages } from '../store/pulled-images.ts';
import { findPushedManifest } from '../store/pushed-images.ts';

type Pushed = { repository: string; digest: string };

/**
 * Returns the references of the removed copies. Only names that this installation has assigned are removed, and no
 * image that is in use. `isThere`: whether the pushed image still exists.
 */
export async function clearPushedCopies(
  { engine, db }: { engine: Pick<Engine, 'images'>; db: Database },
  isThere: (pushed: Pushed) => Promise<boolean> = async ({ repository, digest }) =>
    (await findPushedManifest(db, repository, { digest })) !== undefined,
): Promise<string[]> {
  const { images: store } = engine;
  if (!store) return [];
  const gone = new Map<string, string>();
  for (const { reference } of await pulledImages(db)) {
    const pushed = readPushedReference(reference);
    if (pushed && !(await isThere(pushed))) gone.set(reference, fullReference(reference));
  }
  if (gone.size === 0) return [];
  const names = new Set(gone.values());
  const kept = new Set<string>();
  for (const image of await store.list()) {
    const brought = image.brought.filter((name) => names.has(name));
    if (brought.length === 0) continue;
    // Another user may run the same image under another name. The engine refuses to remove the last name.
    const isRemoved = await store.remove({ ...image, tags: [], digests: [], brought });
    if (!isRemoved) for (const name of brought) kept.add(name);
  }
  const removed = [...gone].filter(([, name]) => !kept.has(name)).map(([reference]) => reference);
  await deletePulled(db, removed);
  return removed;
}
