/** Removes unused images, least recently used first, while the disk is too full. */
import { fullReference, isPinned } from '../config/values/image-names.ts';
import { readPushedReference } from '../config/values/pushed-image.ts';
import type { Instant } from '../deployment/deployment.ts';
import type { Disk } from '../deployment/limits/host-budget.ts';
import type { Engine, HostImage } from '../engine/engine.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Database } from '../store/database.ts';
import { deletePulled, type PulledImage, pulledImages, touchUsed } from '../store/pulled-images.ts';
import { findPushedManifest } from '../store/pushed-images.ts';

/** Between its pull and its first container, an image looks unused to the engine. */
const graceMs = 10 * 60_000;

export type Clearing = {
  disk: Disk;
  /** The share of the disk, 0..1, above which images are removed. */
  maxUsed: number;
  images: HostImage[];
  pulled: PulledImage[];
  now: Instant;
};

/**
 * Returns enough images to bring the disk below the threshold. Images share layers, so another round may be necessary.
 * Excludes images that a container uses, that this installation did not pull, or that have another name.
 */
export function imagesToRemove({ disk, maxUsed, images, pulled, now }: Clearing): HostImage[] {
  let excess = disk.usedBytes - maxUsed * (disk.usedBytes + disk.freeBytes);
  const lastUsed = new Map(pulled.map(({ reference, lastUsedAt }) => [fullReference(reference), lastUsedAt]));
  const usedAt = (image: HostImage) =>
    Math.max(...namesOf(image).map((reference) => lastUsed.get(reference) ?? Number.NEGATIVE_INFINITY));
  const chosen: HostImage[] = [];
  for (const image of images.toSorted((a, b) => usedAt(a) - usedAt(b))) {
    if (excess <= 0) break;
    const isOurs =
      usedAt(image) > Number.NEGATIVE_INFINITY && image.tags.every((tag) => lastUsed.has(fullReference(tag)));
    if (!isOurs || image.isInUse || now - usedAt(image) < graceMs) continue;
    chosen.push(image);
    excess -= image.sizeBytes;
  }
  return chosen;
}

/** The same reference has several spellings. */
function namesOf({ tags, digests, brought }: HostImage): string[] {
  return [...[...tags, ...digests].map(fullReference), ...brought];
}

export type Clearer = { engine: Engine; db: Database; metrics: Metrics; now: () => Instant; maxUsed: number };

/**
 * Returns the names of the removed images. Lists the engine's images only if the disk is too full. An engine without
 * the facet `images` manages its own.
 */
export async function clearImages({ engine, db, metrics, now, maxUsed }: Clearer): Promise<string[]> {
  const { images: store } = engine;
  if (!store) return [];
  const { disk } = await engine.capacity();
  if (!disk || disk.usedBytes <= maxUsed * (disk.usedBytes + disk.freeBytes)) return [];
  // Until its first container exists, nothing else protects the image of a deployment.
  await touchUsed(db, now());
  const [images, pulled] = await Promise.all([store.list(), pulledImages(db)]);
  const there = new Set(images.flatMap(namesOf));
  const references = pulled.map(({ reference }) => reference);
  await deletePulled(
    db,
    references.filter((reference) => !there.has(fullReference(reference))),
  );
  const removed: string[] = [];
  for (const image of imagesToRemove({ disk, maxUsed, images, pulled, now: now() })) {
    if (!(await store.remove(image))) continue;
    const names = new Set(namesOf(image));
    await deletePulled(
      db,
      references.filter((reference) => names.has(fullReference(reference))),
    );
    metrics.imagesRemoved.inc();
    removed.push([...names].find((name) => !isPinned(name)) ?? [...names][0]!);
  }
  return removed;
}

/** Removes the engine's copies of pushed images that no longer exist. */

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
