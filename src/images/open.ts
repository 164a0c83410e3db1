/**
 * The interface of this layer: the gate that every registry image passes, the resolution of references, and the stored
 * images.
 */
import { join } from 'node:path';
import type { ImageLimits } from '../deployment/limits/pull-limits.ts';
import { openBlobCache } from './blobs/blob-cache.ts';
import { type Pace, usualPace } from './dialer/bounded-body.ts';
import { createDialer, type DialerOptions } from './dialer/dialer.ts';
import { type Gate, type GateOptions, openGate } from './gate/gate.ts';
import {
  createNodeGate,
  type NodeGate,
  type NodeGateParts,
  type NodeGateSettings,
  type OpenNodeGate,
  openNodeGate,
} from './gate/node-gate.ts';
import { type OpenPushedSettings, openPushedImages, type PushedParts } from './pushed/open.ts';
import type { PushedImages } from './pushed/pushed-image-store.ts';
import { createResolver, type Resolver, type ResolverParts } from './resolve/resolve.ts';
import { type RegistrySetting, readRegistries } from './upstream/listed-registries.ts';

/** An hour is enough for five of the largest images. Layers that were counted before need no time. */
const imagesPerHour = 5;

export type ImageSettings = {
  registries: readonly RegistrySetting[];
  imageBytes: number;
  imageUnpackedBytes: number;
  gateHost: string;
  registryPatienceMs: number;
  /** Where the nodes of a cluster pull from, if they do. */
  nodeGate?: NodeGateSettings | undefined;
};

/** Listeners, and the replacements of the internet in tests. */
export type ImageParts = Pick<DialerOptions, 'resolve' | 'isAllowed' | 'answerMs'> &
  Pick<ResolverParts, 'reportPullsLeft' | 'pushed'> &
  Pick<GateOptions, 'cache'> & {
    pace?: Pace;
    seal?: NodeGateParts['seal'] | undefined;
    /** Another process serves the nodes. */
    isBeside?: boolean;
    /** Another process of this installation serves them until it leaves. */
    isSucceeding?: boolean | undefined;
  };

/** `nodes`: for those of a cluster, where they may pull from here. */
export type Images = Resolver & Pick<Gate, 'offer'> & { nodes?: NodeGate };

/** Throws StartError. */
export async function openImages(
  { registries, imageBytes, imageUnpackedBytes, gateHost, registryPatienceMs, nodeGate }: ImageSettings,
  parts: ImageParts = {},
): Promise<AsyncDisposable & { images: Images; leave: OpenNodeGate['leave'] }> {
  const {
    pace = { ...usualPace, patienceMs: registryPatienceMs },
    reportPullsLeft,
    pushed,
    cache,
    seal,
    isBeside = false,
    isSucceeding = false,
    ...dialing
  } = parts;
  const limits: ImageLimits = { compressedBytes: imageBytes, unpackedBytes: imageUnpackedBytes };
  const listed = await readRegistries(registries);
  await using opening = new AsyncDisposableStack();
  const dialer = opening.use(createDialer({ ...dialing, listed }));
  const unpackedBytesPerHour = imagesPerHour * imageUnpackedBytes;
  const gate = opening.use(await openGate({ host: gateHost, cache, pace, unpackedBytesPerHour }));
  const resolver = createResolver({ dialer, registries: listed, limits, reportPullsLeft, pushed });
  const answering = { gate, resolver, seal: seal!, isSucceeding };
  const toNodes = seal && nodeGate;
  const listening = toNodes && !isBeside ? opening.use(await openNodeGate(toNodes, answering)) : undefined;
  const nodes = listening ?? (toNodes && createNodeGate(toNodes, answering));
  const open = opening.move();
  return {
    images: { ...resolver, offer: gate.offer, ...(nodes && { nodes }) },
    leave: async (patienceMs) => await listening?.leave(patienceMs),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

export type OpenImageSettings = ImageSettings &
  Omit<OpenPushedSettings, 'folder' | 'twin'> & {
    dataDir: string;
    imageCacheBytes: number;
  };

/** Opens the images with the stored parts of a data directory: pushed images and pulled layers. Throws StartError. */
export async function openImageStore(
  settings: OpenImageSettings,
  {
    reportPullsLeft,
    seal,
    isSucceeding,
    ...parts
  }: PushedParts & Pick<ImageParts, 'reportPullsLeft' | 'seal' | 'isSucceeding'>,
): Promise<AsyncDisposable & { images: Images; pushed: PushedImages; leave: OpenNodeGate['leave'] }> {
  const { dataDir, imageCacheBytes: budgetBytes } = settings;
  const [ofPushed, ofCache] = [join(dataDir, 'images', 'pushed'), join(dataDir, 'images', 'cache')];
  await using opening = new AsyncDisposableStack();
  const { images: pushed } = opening.use(await openPushedImages({ folder: ofPushed, twin: ofCache }, parts));
  const cache = await openBlobCache({ folder: ofCache, twin: ofPushed, budgetBytes, now: parts.now });
  const listening = { pushed, cache, notePullsLeft: reportPullsLeft, seal, isSucceeding };
  const { images, leave } = opening.use(await openImages(settings, listening));
  const open = opening.move();
  return { images, pushed, leave, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
