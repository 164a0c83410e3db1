/**
 * The distribution endpoint from which the engine pulls: on loopback, only for this service's engine, and only for
 * images that are being pulled now. It serves verified layers, and an engine never waits here for a registry.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import type { Digest } from '../../lib/digest.ts';
import type { BlobCache } from '../blobs/blob-cache.ts';
import { filePieces } from '../blobs/file-pieces.ts';
import { type Pace, usualPace } from '../dialer/bounded-body.ts';
import type { Descriptor } from '../manifests/manifest.ts';
import type { ResolvedUpstream } from '../resolve/resolve.ts';
import { dialFault } from '../upstream/registry-faults.ts';
import {
  answerDocument,
  beginLayer,
  nameAtGate,
  readPath,
  refuse,
  refuseLogin,
  type ServedImage,
  servedImage,
  type UnpackedLayer,
} from './distribution.ts';
import { createLayerAccess } from './layer-access.ts';
import { verifiedChunks } from './layer-chunks.ts';
import { headBytes, packingOf } from './packing.ts';
import { openProvenLayers, type ProvenLayer } from './proven-layers.ts';
import { createUnpackBudget, createUnpackedSum, type UnpackedSum } from './unpack-budget.ts';

export type Gate = AsyncDisposable & {
  /**
   * Downloads and verifies the layers of an image. Until the offer is disposed of, the engine can pull the image.
   * Throws ImageFault.
   */
  offer(image: ResolvedUpstream, offering: Offering): Promise<Offer>;
  /**
   * Sends a layer to a node, as its registry has it. The last piece is only sent if the digest is right. Throws
   * ImageFault.
   */
  take(image: ResolvedUpstream, layer: Descriptor, out: Writable, taking: Taking): Promise<void>;
  /** Sends the unpacked bytes of a layer. Throws ImageFault. */
  unpack(image: ResolvedUpstream, layer: Descriptor, out: Writable, taking: Taking): Promise<void>;
  /** Resolves when the layer was downloaded and unpacks to the expected digest. Throws ImageFault. */
  confirm(image: ResolvedUpstream, layer: Descriptor, taking: Taking): Promise<void>;
};

export type Taking = { sum: UnpackedSum; signal: AbortSignal };

export type Offering = {
  /** Maximum unpacked size on the engine's disk; default: the limit of every image. */
  roomBytes?: number;
  /** Engines before Docker 23 cannot unpack zstd and get such layers uncompressed. */
  unpacksZstd?: boolean;
  /** Called with how much of a layer has come, by the digest in the image's manifest. */
  passed?: (digest: Digest, bytes: number) => void;
  signal: AbortSignal;
};

export type Offer = AsyncDisposable & {
  /** The name under which the engine pulls it. */
  reference: string;
  /** The credentials that the engine must send. */
  auth: { username: string; password: string; serveraddress: string };
  /**
   * Called after the engine has failed. Returns whether it requested layers that it was expected to have. They are here
   * then, for the next attempt. Throws ImageFault.
   */
  isMended(): Promise<boolean>;
};

type Offered = {
  image: ResolvedUpstream;
  served: ServedImage;
  /** Proven layers by the digest that the engine requests. */
  proven: Map<Digest, ProvenLayer>;
  /** Layers that the engine has requested and that are not here. */
  missing: Set<Digest>;
  /** Answers under way, which read the files. */
  answers: Set<Promise<void>>;
};

export type GateOptions = {
  /** The address where it listens. */
  host: string;
  /** The cache of verified layers. */
  cache?: BlobCache | undefined;
  /** How slowly a registry may send. */
  pace?: Pace;
  /** Maximum unpacked bytes for one client. Default: no limit. */
  unpackedBytesPerHour?: number;
};

const username = 'engine';

/** The number of layers of one image that are downloaded at once, equal to an engine's. */
const maxIncoming = 3;

/** Resolves when it listens. */
export async function openGate({
  host,
  pace = usualPace,
  cache,
  unpackedBytesPerHour = Number.POSITIVE_INFINITY,
}: GateOptions): Promise<Gate> {
  const password = randomBytes(24).toString('hex');
  const expected = Buffer.from(`Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);
  const offers = new Set<Offered>();
  const budget = createUnpackBudget(unpackedBytesPerHour);
  const layers = openProvenLayers({ cache, pace, budget });
  const layerAccess = createLayerAccess(cache);
  const closing = new AbortController();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!hasSecret(request.headers.authorization, expected)) return refuseLogin(response);
    const path = readPath(request, response);
    if (!path) return;
    const { name, kind, digest } = path;
    const ofName = [...offers].filter(({ image }) => nameAtGate(image) === name);
    const documents = ofName.flatMap(({ served: { manifest, config } }) => [manifest, config]);
    if (answerDocument(documents, digest, request, response)) return;
    // An engine downloads a digest once for all images, so any offer with it serves the request, even after its own
    // offer has ended.
    const offered = kind === 'blobs' ? [...offers].find(({ proven }) => proven.has(digest)) : undefined;
    if (offered) {
      if (beginLayer(offered.proven.get(digest)!, request, response)) await send(offered, digest, response);
      return;
    }
    for (const { image, missing } of offers)
      if (image.layers.some((layer) => layer.digest === digest)) missing.add(digest);
    refuse(response, 404, kind === 'blobs' ? 'BLOB_UNKNOWN' : 'MANIFEST_UNKNOWN');
  }

  async function send({ proven, answers }: Offered, digest: Digest, response: ServerResponse): Promise<void> {
    const sending = pipeline(filePieces(proven.get(digest)!.file.fd), response, { signal: closing.signal });
    answers.add(sending);
    await sending.catch(() => {}).finally(() => answers.delete(sending));
  }

  async function prove(image: ResolvedUpstream, layer: Descriptor, taking: Taking & Offering): Promise<ProvenLayer> {
    const passed = (bytes: number) => taking.passed?.(layer.digest, bytes);
    const proven = await layers.prove(image, layer, { ...taking, passed });
    layerAccess.recordSent(image, layer);
    return proven;
  }

  /** The digest and size of the unpacked layer, if it was counted before and its registry has it. */
  async function confirmed(image: ResolvedUpstream, layer: Descriptor, { sum, signal }: Taking) {
    try {
      const unpacked = layers.counted(image, layer, sum);
      return unpacked && (await layerAccess.confirm(image, layer, signal)) ? unpacked : undefined;
    } catch (error) {
      throw dialFault(error, image.context);
    }
  }

  async function confirm(image: ResolvedUpstream, layer: Descriptor, taking: Taking): Promise<void> {
    if (await confirmed(image, layer, taking)) return;
    const { file } = await prove(image, layer, taking);
    await file.close();
  }

  async function proveAll(image: ResolvedUpstream, wanted: readonly Descriptor[], taking: Taking & Offering) {
    const proven = new Map<Digest, ProvenLayer & { of: Digest }>();
    const failed = new AbortController();
    const signal = AbortSignal.any([taking.signal, failed.signal, closing.signal]);
    const rest = [...new Map(wanted.map((layer) => [layer.digest, layer])).values()];
    const work = async () => {
      for (let layer = rest.shift(); layer; layer = rest.shift()) {
        const each = await prove(image, layer, { ...taking, signal });
        proven.set(each.digest, { ...each, of: layer.digest });
      }
    };
    const works = Array.from({ length: maxIncoming }, () =>
      work().catch((error) => {
        failed.abort(error);
        throw error;
      }),
    );
    try {
      await Promise.all(works);
      return proven;
    } catch (error) {
      await Promise.allSettled(works);
      await closeAll(proven);
      throw error;
    }
  }

  async function offer(image: ResolvedUpstream, offering: Offering): Promise<Offer> {
    const sum = createUnpackedSum(image.context, image.limits, offering.roomBytes);
    const taking = { ...offering, sum };
    const wanted: Descriptor[] = [];
    for (const layer of image.layers) {
      // A layer that is not on a disk here, and was verified before, is likely on the engine's.
      const isAbsent = !image.client.open && !(image.isForEverybody && cache?.sizeOf(layer.digest) !== undefined);
      const left = isAbsent ? await confirmed(image, layer, taking) : undefined;
      if (!left || (left.packing === 'zstd' && offering.unpacksZstd)) wanted.push(layer);
    }
    const proven = await proveAll(image, wanted, taking);
    const unpacked = new Map<Digest, UnpackedLayer>(
      [...proven.values()].filter(({ of, digest }) => of !== digest).map((each) => [each.of, each]),
    );
    const served = servedImage(image, unpacked);
    const offered: Offered = { image, served, proven, missing: new Set(), answers: new Set() };
    offers.add(offered);
    return {
      reference: `${address}/${nameAtGate(image)}@${served.manifest.digest}`,
      auth: { username, password, serveraddress: address },
      async isMended() {
        const missing = image.layers.filter(({ digest }) => offered.missing.has(digest) && !proven.has(digest));
        for (const [digest, layer] of await proveAll(image, missing, taking)) proven.set(digest, layer);
        return missing.length > 0;
      },
      async [Symbol.asyncDispose]() {
        offers.delete(offered);
        await Promise.allSettled(offered.answers);
        await closeAll(proven);
      },
    };
  }

  const server = createServer((request, response) => {
    response.on('error', () => {});
    void answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;

  return {
    offer,
    async take(image, layer, out, taking) {
      const { signal } = taking;
      const isShown = await confirmed(image, layer, taking);
      const file = isShown ? await layers.onDisk(image, layer) : (await prove(image, layer, taking)).file;
      if (!file) return await passChunks(verifiedChunks(image, layer, { pace, signal }), out, signal);
      await using _ = file;
      await pipeline(filePieces(file.fd), out, { signal });
    },
    async unpack(image, layer, out, taking) {
      budget.check(image);
      const { file } = await prove(image, layer, taking);
      await using _ = file;
      budget.spend(image.payer, layers.counted(image, layer, taking.sum)?.bytes ?? 0);
      const { buffer: head } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
      const packing = packingOf(head);
      const { signal } = taking;
      if (packing === 'none') return await pipeline(filePieces(file.fd), out, { signal });
      await pipeline(filePieces(file.fd), packing === 'gzip' ? createGunzip() : createZstdDecompress(), out, {
        signal,
      });
    },
    confirm,
    async [Symbol.asyncDispose]() {
      closing.abort();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await layers[Symbol.asyncDispose]();
    },
  };
}

async function closeAll(proven: ReadonlyMap<Digest, ProvenLayer>): Promise<void> {
  for (const { file } of proven.values()) await file.close();
}

/** Bytes buffered for a slow reader. With less, each chunk would wait until the previous one is read. */
const maxUnsent = 2 ** 21;

/** Sends the last chunk if the digest is right, and ends `out`. */
async function passChunks(chunks: AsyncIterable<Buffer>, out: Writable, signal: AbortSignal): Promise<void> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    out.write(held);
    if (out.writableLength > maxUnsent) await once(out, 'drain', { signal });
    held = Buffer.from(chunk);
  }
  out.end(held);
}

function hasSecret(authorization: string | undefined, expected: Buffer): boolean {
  const shown = Buffer.from(authorization ?? '');
  return shown.length === expected.length && timingSafeEqual(shown, expected);
}
