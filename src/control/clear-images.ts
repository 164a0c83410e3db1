/** Room for images: when the disk is too full, images that nothing runs from leave, least recently used first. */

import { fullReference, isPinned } from '../config/values/image-names.ts';
import type { Instant } from '../deployment/deployment.ts';
import type { Disk } from '../deployment/limits/host-budget.ts';
import type { Engine, HostImage } from '../engine/engine.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Database } from '../store/database.ts';
import { forgetPulled, type PulledImage, pulledImages, touchUsed } from '../store/pulled-images.ts';

/** Between its pull and its first container an image is in use by nothing that an engine knows of. */
const graceMs = 10 * 60_000;

export type Clearing = {
  disk: Disk;
  /** Of the disk, 0..1; above it images leave. */
  mostUsed: number;
  images: HostImage[];
  pulled: PulledImage[];
  now: Instant;
};

/**
 * As many as bring the disk below the threshold, if their sizes are right: images share layers, so it may take another
 * time. Never one that a container was made from, running or not, nor one that was not pulled by this installation,
 * nor one that somebody has given a name of his own since.
 */
export function imagesToRemove({ disk, mostUsed, images, pulled, now }: Clearing): HostImage[] {
  let excess = disk.usedBytes - mostUsed * (disk.usedBytes + disk.freeBytes);
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

/** Documents write the same reference in several ways. */
function namesOf({ tags, digests, brought }: HostImage): string[] {
  return [...[...tags, ...digests].map(fullReference), ...brought];
}

export type Clearer = { engine: Engine; db: Database; metrics: Metrics; now: () => Instant; mostUsed: number };

/**
 * The names of those that were removed. Asks the engine for its images only when the disk is too full; one without a
 * store of images sees to its own.
 */
export async function clearImages({ engine, db, metrics, now, mostUsed }: Clearer): Promise<string[]> {
  const { images: store } = engine;
  if (!store) return [];
  const { disk } = await engine.capacity();
  if (!disk || disk.usedBytes <= mostUsed * (disk.usedBytes + disk.freeBytes)) return [];
  // Between its look at an image and its first container, a deployment has nothing else that keeps it.
  await touchUsed(db, now());
  const [images, pulled] = await Promise.all([store.list(), pulledImages(db)]);
  const there = new Set(images.flatMap(namesOf));
  const references = pulled.map(({ reference }) => reference);
  await forgetPulled(
    db,
    references.filter((reference) => !there.has(fullReference(reference))),
  );
  const removed: string[] = [];
  for (const image of imagesToRemove({ disk, mostUsed, images, pulled, now: now() })) {
    if (!(await store.remove(image))) continue;
    const names = new Set(namesOf(image));
    await forgetPulled(
      db,
      references.filter((reference) => names.has(fullReference(reference))),
    );
    metrics.imagesRemoved.inc();
    removed.push([...names].find((name) => !isPinned(name)) ?? [...names][0]!);
  }
  return removed;
}
