/**
 * Layers that are completely on this machine, match their digest, and unpack to the content in their image's
 * configuration. Engines share downloads by digest between images of all tenants, so an engine gets no other layers. A
 * stalling or wrong registry therefore only delays its own image.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Digest } from '../../lib/digest.ts';
import { orAbort } from '../../lib/wait.ts';
import type { BlobCache } from '../blobs/blob-cache.ts';
import { filePieces } from '../blobs/file-pieces.ts';
import { type StagedFile, stageFile } from '../blobs/staged-file.ts';
import type { Pace } from '../dialer/bounded-body.ts';
import { type ImageFault, outOfDisk } from '../image-fault.ts';
import type { Descriptor } from '../manifests/manifest.ts';
import { type ResolvedUpstream, refusal } from '../resolve/resolve.ts';
import { dialFault, type RequestContext } from '../upstream/registry-faults.ts';
import { verifiedChunks } from './layer-chunks.ts';
import { openLayerCounter } from './layer-counter.ts';
import type { Count, LayerFlaw, Unpacked } from './packing.ts';
import type { UnpackBudget, UnpackedSum } from './unpack-budget.ts';

export type Proving = {
  sum: UnpackedSum;
  /** Called with the number of received bytes of the layer. */
  passed?: ((bytes: number) => void) | undefined;
  /** Layers of zstd are unpacked here: engines before Docker 23 cannot. */
  unpacksZstd?: boolean | undefined;
  signal: AbortSignal;
};

export type ProvenLayer = {
  /** Must be closed. The file has no name on the disk, or one that may be removed at any time. */
  file: FileHandle;
  /** The digest of the file. */
  digest: Digest;
  sizeBytes: number;
};

export type ProvenLayers = AsyncDisposable & {
  /** Throws ImageFault. */
  prove(image: ResolvedUpstream, layer: Descriptor, proving: Proving): Promise<ProvenLayer>;
  /**
   * Returns the remembered digest and size of the unpacked layer. Throws ImageFault if the image may not use the layer.
   */
  counted(image: ResolvedUpstream, layer: Descriptor, sum: UnpackedSum): Unpacked | undefined;
  /** A layer that needs no download. */
  onDisk(image: ResolvedUpstream, layer: Descriptor): Promise<FileHandle | undefined>;
};

/** The result of counting a layer. `at-least`: counting stopped at this many bytes. */
type Found = Exclude<Count, { kind: 'too-large' }> | { kind: 'at-least'; bytes: number };

/** Each takes 200 bytes of memory. The oldest is removed. */
const maxFound = 20_000;

export type ProvenLayersParts = { cache?: BlobCache | undefined; pace: Pace; budget: UnpackBudget };

export function openProvenLayers({ cache, pace, budget }: ProvenLayersParts): ProvenLayers {
  const counter = openLayerCounter(budget.spend);
  const found = new Map<Digest, Found>();
  /** Downloads that end in the cache: a second image waits for them instead of downloading again. */
  const coming = new Map<string, Promise<unknown>>();

  function remember(digest: Digest, fact: Found): void {
    found.delete(digest);
    found.set(digest, fact);
    if (found.size > maxFound) found.delete(found.keys().next().value!);
  }

  const stage = (digest?: () => Digest): Promise<StagedFile> =>
    cache ? cache.stage(digest) : stageFile(join(tmpdir(), `berth-layer-${randomUUID()}`), digest);

  async function onDisk(image: ResolvedUpstream, { digest, sizeBytes }: Descriptor): Promise<FileHandle | undefined> {
    if (image.client.open) return (await image.client.open(digest))?.file;
    const cached = image.isForEverybody ? await cache?.open(digest) : undefined;
    if (!cached) return undefined;
    // This process compared the layer with its digest when it counted it. Only a power loss can damage it since.
    if (cached.sizeBytes === sizeBytes && (found.has(digest) || (await digestOfFile(cached.file)) === digest))
      return cached.file;
    await cached.file.close();
    await cache?.drop(digest);
    return undefined;
  }

  async function download(
    image: ResolvedUpstream,
    layer: Descriptor,
    { passed, signal }: Proving,
  ): Promise<FileHandle> {
    const staged = await stage(() => layer.digest);
    try {
      for await (const chunk of verifiedChunks(image, layer, { pace, signal })) {
        await staged.write(chunk);
        passed?.(staged.sizeBytes);
      }
      const file = await staged.open();
      if (image.isForEverybody && cache) await cache.adopt(staged, layer);
      return file;
    } finally {
      await staged.discard();
    }
  }

  async function bring(image: ResolvedUpstream, layer: Descriptor, proving: Proving): Promise<FileHandle> {
    const { context, repository, isForEverybody } = image;
    const key = cache && isForEverybody ? `${context.registry}/${repository} ${layer.digest}` : undefined;
    for (let other = key && coming.get(key); other; other = key && coming.get(key))
      await orAbort(
        other.catch(() => {}),
        proving.signal,
      );
    const file = await onDisk(image, layer);
    if (file) return file;
    const downloading = download(image, layer, proving);
    if (!key) return await downloading;
    coming.set(key, downloading);
    return await downloading.finally(() => coming.delete(key));
  }

  /** Counts the layer unless a previous count is remembered. Writes the unpacked bytes to `out`. */
  async function count(
    image: ResolvedUpstream,
    layer: Descriptor,
    { sum, signal }: Proving,
    file: FileHandle,
    out?: FileHandle,
  ): Promise<Unpacked> {
    const before = out ? undefined : counted(image, layer, sum);
    if (before) return before;
    const maxBytes = Math.floor(sum.leftBytes(layer.digest) / timesIn(image, layer));
    const result = await counter.count({ payer: image.payer, file, maxBytes, out }, signal);
    remember(layer.digest, result.kind === 'too-large' ? { kind: 'at-least', bytes: maxBytes + 1 } : result);
    return counted(image, layer, sum)!;
  }

  function counted(image: ResolvedUpstream, layer: Descriptor, sum: UnpackedSum): Unpacked | undefined {
    const fact = found.get(layer.digest);
    if (!fact) return undefined;
    const { context, layers, diffIds } = image;
    if (fact.kind === 'flawed') throw flawFault(fact.flaw, context);
    const bytes = fact.kind === 'at-least' ? fact.bytes : fact.unpacked.bytes;
    if (!sum.count(layer.digest, timesIn(image, layer) * bytes)) throw sum.fault();
    if (fact.kind === 'at-least') return undefined;
    // An engine identifies a layer by its unpacked digest, and reuses a layer that it has without a request.
    if (layers.some((each, at) => each.digest === layer.digest && diffIds[at] !== fact.unpacked.diffId))
      throw refusal(context, 'has a layer that differs from its configuration', 'build it again');
    return fact.unpacked;
  }

  /** The unpacked layer, as a separate file. */
  async function unpack(image: ResolvedUpstream, layer: Descriptor, proving: Proving, file: FileHandle) {
    const staged = await stage();
    const out = await staged.open();
    await staged.discard();
    try {
      const { bytes, diffId } = await count(image, layer, proving, file, out);
      return { file: out, digest: diffId, sizeBytes: bytes };
    } catch (error) {
      await out.close();
      throw error;
    }
  }

  async function prove(image: ResolvedUpstream, layer: Descriptor, proving: Proving): Promise<ProvenLayer> {
    const { digest, sizeBytes } = layer;
    try {
      // A layer that was refused before, or exceeds the budget now, is refused without a download.
      if (!counted(image, layer, proving.sum)) budget.check(image);
      const file = await bring(image, layer, proving);
      try {
        proving.passed?.(sizeBytes);
        const { packing } = await count(image, layer, proving, file);
        if (packing !== 'zstd' || !proving.unpacksZstd) return { file, digest, sizeBytes };
        const unpacked = await unpack(image, layer, proving, file);
        await file.close();
        return unpacked;
      } catch (error) {
        await file.close();
        throw error;
      }
    } catch (error) {
      proving.signal.throwIfAborted();
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw outOfDisk(image.context.image);
      throw dialFault(error, image.context);
    }
  }

  return { prove, counted, onDisk, [Symbol.asyncDispose]: () => counter[Symbol.asyncDispose]() };
}

/** An engine has a layer once for each place that it has in the image. */
function timesIn({ layers }: ResolvedUpstream, { digest }: Descriptor): number {
  return layers.filter((each) => each.digest === digest).length;
}

async function digestOfFile(file: FileHandle): Promise<Digest> {
  const hash = createHash('sha256');
  for await (const piece of filePieces(file.fd)) hash.update(piece);
  return `sha256:${hash.digest('hex')}`;
}

function flawFault(flaw: LayerFlaw, requested: RequestContext): ImageFault {
  switch (flaw) {
    case 'broken':
      return refusal(requested, 'has a layer that cannot be unpacked', 'build it again');
    case 'uncounted':
      return refusal(requested, 'has a layer that is packed with neither gzip nor zstd', 'build it again');
    case 'packed-twice':
      return refusal(requested, 'has a layer that is packed twice', 'build it again');
  }
}
