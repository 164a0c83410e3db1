/**
 * Where the engine pulls from: a distribution endpoint on loopback, for nobody but the engine of this service, and only
 * for images that are being pulled just now. What it serves was resolved by us, and comes through the dialer.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import type { Digest } from '../../lib/digest.ts';
import type { BlobCache } from '../blobs/blob-cache.ts';
import { type Pace, usualPace } from '../dialer/bounded-body.ts';
import { ImageFault } from '../image-fault.ts';
import type { Descriptor } from '../manifests/manifest.ts';
import type { ResolvedUpstream } from '../resolve/resolve.ts';
import { dialFault } from '../upstream/registry-faults.ts';
import { answerDocument, beginLayer, nameAtGate, readPath, refuse, refuseLogin } from './distribution.ts';
import { dropDamaged, passKept } from './kept-layer.ts';
import { createLayerOrder, type LayerOrder } from './layer-order.ts';
import { checkUnpacked, passPacked, passUnpacked } from './layer-stream.ts';
import { createPossession } from './possession.ts';
import type { Unpacked } from './unpacked-bytes.ts';
import { packedImage, type ServedImage, unpackedImage } from './unpacked-image.ts';
import { createUnpackedSum, type UnpackedSum } from './unpacked-sum.ts';
import { openUnpackingThread } from './unpacking-thread.ts';

export type Gate = AsyncDisposable & {
  /** Until it is disposed of, the engine can pull the image. */
  offer(image: ResolvedUpstream, offering: Offering): Offer;
  /** A layer for somebody else than the engine, as it comes, counted as it passes. Throws ImageFault. */
  take(image: ResolvedUpstream, layer: Descriptor, out: Writable, taking: Taking): Promise<void>;
  /** The same, as what it unpacks to: the last piece may go before all of it is known to be right. Throws ImageFault. */
  unpack(image: ResolvedUpstream, layer: Descriptor, out: Writable, taking: Taking): Promise<void>;
  /** Resolves when its registry has shown the layer, and what that unpacks to is counted and what it should be. Throws ImageFault. */
  confirm(image: ResolvedUpstream, layer: Descriptor, taking: Taking): Promise<void>;
};

export type Taking = { sum: UnpackedSum; signal: AbortSignal };

export type Offering = {
  /** What it may unpack to on the engine's disk; default: as much as any image may. */
  roomBytes?: number;
  /** The engine unpacks layers itself. Default: it gets them unpacked. */
  isPacked?: boolean;
  /** Told how much of a layer has come, by the digest that the engine calls it by. */
  passed?: (digest: Digest, bytes: number) => void;
  /** A pull that goes on would only fail again: the first reason. */
  failed: (fault: ImageFault) => void;
};

export type Offer = Disposable & {
  /** Under this name the engine pulls it. */
  reference: string;
  /** What the engine has to show, as it takes it. */
  auth: { username: string; password: string; serveraddress: string };
  /**
   * When the engine has it all: resolves when its registry has shown that it has those layers which the engine had from
   * elsewhere. A reason against the image has been told then.
   */
  confirm(): Promise<void>;
  /**
   * When the engine has refused it: whether that was for layers that were kept here and are damaged. Those are gone then,
   * so that the next try has them from their registry.
   */
  isMended(): Promise<boolean>;
};

type Offered = {
  image: ResolvedUpstream;
  served: ServedImage;
  offering: Offering;
  ended: AbortController;
  sum: UnpackedSum;
  order: LayerOrder;
  /** Layers that came from the cache, by what they unpack to. */
  kept: Set<Digest>;
};

export type GateOptions = {
  /** The address where it listens. */
  host: string;
  /** Where layers are kept that have passed. */
  cache?: BlobCache | undefined;
  /** How slowly a registry may send. */
  pace?: Pace;
};

const username = 'engine';

/** Resolves when it listens. */
export async function openGate({ host, pace = usualPace, cache }: GateOptions): Promise<Gate> {
  const password = randomBytes(24).toString('hex');
  const expected = Buffer.from(`Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);
  const offers = new Set<Offered>();
  const thread = openUnpackingThread();
  const possession = createPossession(cache);
  const known = new Map<Digest, Unpacked>();
  const parts = { thread, known, pace, cache };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isShown(request.headers.authorization, expected)) return refuseLogin(response);
    const path = readPath(request, response);
    if (!path) return;
    const { name, kind, digest } = path;
    const ofName = [...offers].filter(({ image }) => nameAtGate(image) === name);
    const documents = ofName.flatMap(({ served: { manifest, config } }) => [manifest, config]);
    if (answerDocument(documents, digest, request, response)) return;
    const offered = ofName.find(({ served }) => served.layers.has(digest));
    if (!offered) return refuse(response, 404, kind === 'blobs' ? 'BLOB_UNKNOWN' : 'MANIFEST_UNKNOWN');
    const { sizeBytes } = offered.served.layers.get(digest)!;
    const known = offered.offering.isPacked ? { digest, sizeBytes } : { digest };
    if (beginLayer(known, request, response)) await pass(offered, digest, response);
  }

  async function pass(offered: Offered, digest: Digest, response: ServerResponse) {
    const { image, served, offering, ended, sum, order, kept } = offered;
    const layer = served.layers.get(digest)!;
    const at = image.layers.indexOf(layer);
    const closed = new AbortController();
    response.once('close', () => response.writableFinished || closed.abort());
    const signal = AbortSignal.any([closed.signal, ended.signal]);
    try {
      const passed = (bytes: number) => offering.passed?.(digest, bytes);
      const passing = { ...parts, sum, signal, passed };
      if (offering.isPacked) await passPacked(image, layer, response, passing);
      else {
        const inOrder = (chunks: AsyncIterable<Buffer>) => order.pass(at, chunks, signal);
        const orderly = { ...passing, inOrder };
        kept.add(digest);
        if (await passKept(image, { layer, diffId: digest }, response, orderly)) return;
        kept.delete(digest);
        await passUnpacked(image, layer, response, orderly);
      }
      possession.note(image, layer);
    } catch (error) {
      if (error instanceof ImageFault && !closed.signal.aborted) offering.failed(error);
      if (response.headersSent) response.destroy();
      else refuse(response, 502, 'UNKNOWN');
    }
  }

  async function take(image: ResolvedUpstream, layer: Descriptor, out: Writable, taking: Taking): Promise<void> {
    await passPacked(image, layer, out, { ...parts, ...taking });
    possession.note(image, layer);
  }

  async function confirm(image: ResolvedUpstream, layer: Descriptor, taking: Taking): Promise<void> {
    const found = known.get(layer.digest);
    if (found && (await possession.confirm(image, layer, taking.signal)))
      checkUnpacked(image, layer, found, taking.sum);
    else await take(image, layer, nowhere(), taking);
  }

  const server = createServer((request, response) => {
    response.on('error', () => {});
    void answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;

  return {
    offer(image, offering) {
      const sum = createUnpackedSum(image.asked, image.limits, offering.roomBytes);
      const served = offering.isPacked ? packedImage(image) : unpackedImage(image);
      const ended = new AbortController();
      const kept = new Set<Digest>();
      const offered: Offered = { image, served, offering, sum, ended, kept, order: createLayerOrder() };
      offers.add(offered);
      return {
        reference: `${address}/${nameAtGate(image)}@${served.manifest.digest}`,
        auth: { username, password, serveraddress: address },
        async confirm() {
          const taking = { sum, signal: ended.signal };
          try {
            for (const [at, layer] of image.layers.entries()) {
              const diffId = image.diffIds[at]!;
              const bytes = offering.isPacked ? undefined : cache?.sizeOf(diffId);
              // Everybody may have what is kept, and the engine has what the configuration says.
              if (bytes !== undefined) checkUnpacked(image, layer, { bytes, diffId }, sum);
              else await confirm(image, layer, taking);
            }
          } catch (error) {
            const fault = dialFault(error, image.asked);
            if (!(fault instanceof ImageFault)) throw fault;
            offering.failed(fault);
          }
        },
        isMended: async () => cache !== undefined && (await dropDamaged(cache, kept)) > 0,
        [Symbol.dispose]() {
          offers.delete(offered);
          ended.abort();
        },
      };
    },
    take,
    unpack: (image, layer, out, taking) => passUnpacked(image, layer, out, { ...parts, ...taking }),
    confirm,
    async [Symbol.asyncDispose]() {
      for (const { ended } of offers) ended.abort();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await thread[Symbol.asyncDispose]();
    },
  };
}

function isShown(authorization: string | undefined, expected: Buffer): boolean {
  const shown = Buffer.from(authorization ?? '');
  return shown.length === expected.length && timingSafeEqual(shown, expected);
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
