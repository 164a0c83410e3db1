/** The door of this layer: the gate that every image of a registry passes, what references mean, and what is kept. */
import { join } from 'node:path';
import { openBlobCache } from './blobs/blob-cache.ts';
import { type Pace, usualPace } from './dialer/bounded-body.ts';
import { createDialer, type DialerOptions } from './dialer/dialer.ts';
import { type Gate, type GateOptions, openGate } from './gate/gate.ts';
import { type OpenPushedSettings, openPushedImages, type PushedParts } from './pushed/open.ts';
import type { PushedImages } from './pushed/pushed-image-store.ts';
import type { ImageLimits } from './resolve/image-limits.ts';
import { createResolver, type Resolver, type ResolverParts } from './resolve/resolve.ts';
import { type RegistrySetting, readRegistries } from './upstream/listed-registries.ts';

export type ImageSettings = {
  registries: readonly RegistrySetting[];
  imageBytes: number;
  imageUnpackedBytes: number;
  gateHost: string;
  registryPatienceMs: number;
};

/** Who listens, and what tests have in place of the internet. */
export type ImageParts = Pick<DialerOptions, 'resolve' | 'isAllowed' | 'answerMs'> &
  Pick<ResolverParts, 'notePullsLeft' | 'pushed'> &
  Pick<GateOptions, 'cache'> & { pace?: Pace };

export type Images = Resolver & Pick<Gate, 'offer'>;

/** Throws StartError. */
export async function openImages(
  { registries, imageBytes, imageUnpackedBytes, gateHost, registryPatienceMs }: ImageSettings,
  { pace = { ...usualPace, patienceMs: registryPatienceMs }, notePullsLeft, pushed, cache, ...parts }: ImageParts = {},
): Promise<AsyncDisposable & { images: Images }> {
  const limits: ImageLimits = { compressedBytes: imageBytes, unpackedBytes: imageUnpackedBytes };
  const listed = await readRegistries(registries);
  await using opening = new AsyncDisposableStack();
  const dialer = opening.use(createDialer({ ...parts, listed }));
  const gate = opening.use(await openGate({ host: gateHost, limits, cache, pace }));
  const resolver = createResolver({ dialer, registries: listed, limits, notePullsLeft, pushed });
  const open = opening.move();
  return { images: { ...resolver, offer: gate.offer }, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

export type KeptImageSettings = ImageSettings &
  Omit<OpenPushedSettings, 'folder' | 'twin'> & {
    dataDir: string;
    imageCacheBytes: number;
  };

/** With what a data directory keeps: the images that users have pushed, and layers that were pulled. Throws StartError. */
export async function openKeptImages(
  settings: KeptImageSettings,
  { notePullsLeft, ...parts }: PushedParts & Pick<ImageParts, 'notePullsLeft'>,
): Promise<AsyncDisposable & { images: Images; pushed: PushedImages }> {
  const { dataDir, imageCacheBytes: budgetBytes, imageGraceMs, imageKeepMs } = settings;
  const [ofPushed, ofCache] = [join(dataDir, 'images', 'pushed'), join(dataDir, 'images', 'cache')];
  await using opening = new AsyncDisposableStack();
  const { images: pushed } = opening.use(
    await openPushedImages({ folder: ofPushed, twin: ofCache, imageGraceMs, imageKeepMs }, parts),
  );
  const cache = opening.use(await openBlobCache({ folder: ofCache, twin: ofPushed, budgetBytes, now: parts.now }));
  const { images } = opening.use(await openImages(settings, { pushed, cache, notePullsLeft }));
  const open = opening.move();
  return { images, pushed, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
