/**
 * Where the engine pulls from: a distribution endpoint on loopback, for nobody but the engine of this service, and only
 * for images that are being pulled just now. What it serves was resolved by us, and comes through the dialer.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Writable } from 'node:stream';
import type { BlobCache } from '../blobs/blob-cache.ts';
import { type Pace, usualPace } from '../dialer/bounded-body.ts';
import { ImageFault } from '../image-fault.ts';
import type { Descriptor } from '../manifests/manifest.ts';
import type { ResolvedUpstream } from '../resolve/resolve.ts';
import { dialFault } from '../upstream/registry-faults.ts';
import { createCountingRoom } from './count-behind.ts';
import { openCountingThread } from './counting-thread.ts';
import { answerKnown, hasDigest, nameAtGate, readPath, refuse, refuseLogin } from './distribution.ts';
import { passLayer } from './layer-stream.ts';
import { createPossession } from './possession.ts';
import { createUnpackedSum, type UnpackedSum } from './unpacked-sum.ts';

export type Gate = AsyncDisposable & {
  /** Until it is disposed of, the engine can pull the image. */
  offer(image: ResolvedUpstream, offering: Offering): Offer;
  /** A layer for somebody else than the engine, counted as it passes. Throws ImageFault. */
  take(image: ResolvedUpstream, layer: Descriptor, out: Writable, taking: Taking): Promise<void>;
  /** What it unpacks to, where its registry has shown it and that was counted. */
  countOf(image: ResolvedUpstream, layer: Descriptor): number | undefined;
};

export type Taking = { sum: UnpackedSum; signal: AbortSignal };

export type Offering = {
  /** What it may unpack to on the engine's disk; default: as much as any image may. */
  roomBytes?: number;
  /** Told of each piece of a layer that has passed. */
  passed?: (bytes: number) => void;
  /** A pull that goes on would only fail again: the first reason. */
  failed: (fault: ImageFault) => void;
};

export type Offer = Disposable & {
  /** Under this name the engine pulls it. */
  reference: string;
  /** What the engine has to show, as it takes it. */
  auth: { username: string; password: string; serveraddress: string };
  /**
   * When the engine has it all: resolves when that is counted, and its registry has shown that it has those layers
   * which the engine had from elsewhere. A reason against the image has been told then.
   */
  confirm(): Promise<void>;
};

type Offered = {
  image: ResolvedUpstream;
  offering: Offering;
  ended: AbortController;
  sum: UnpackedSum;
  /** Layers that pass, or that the engine has, and that are still counted. */
  passing: Set<Promise<void>>;
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
  const room = createCountingRoom();
  const thread = openCountingThread();
  const possession = createPossession(pace, cache);
  /** By digest. */
  const known = new Map<string, number>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isShown(request.headers.authorization, expected)) return refuseLogin(response);
    const path = readPath(request, response);
    if (!path) return;
    const { name, kind, digest } = path;
    const offered = [...offers].find((each) => nameAtGate(each.image) === name && hasDigest(each.image, digest));
    if (!offered) return refuse(response, 404, kind === 'blobs' ? 'BLOB_UNKNOWN' : 'MANIFEST_UNKNOWN');
    const layer = answerKnown(offered.image, digest, request, response);
    if (!layer) return;
    const passing = pass(offered, layer, response);
    offered.passing.add(passing);
    await passing.finally(() => offered.passing.delete(passing));
  }

  async function pass({ image, offering, ended, sum }: Offered, layer: Descriptor, response: ServerResponse) {
    const closed = new AbortController();
    response.once('close', () => response.writableFinished || closed.abort());
    try {
      await passLayer(image, layer, response, {
        ...{ sum, thread, room, known, pace, cache },
        passed: (bytes) => offering.passed?.(bytes),
        closed: closed.signal,
        ended: ended.signal,
      });
      possession.note(image, layer);
    } catch (error) {
      if (error instanceof ImageFault && !closed.signal.aborted) offering.failed(error);
      if (response.headersSent) response.destroy();
      else refuse(response, 502, 'UNKNOWN');
    }
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
      const offered: Offered = { image, offering, sum, ended: new AbortController(), passing: new Set() };
      offers.add(offered);
      return {
        reference: `${address}/${nameAtGate(image)}@${image.manifest.digest}`,
        auth: { username, password, serveraddress: address },
        async confirm() {
          await Promise.all(offered.passing);
          try {
            for (const layer of image.layers) await possession.confirm(image, layer, offered.ended.signal);
          } catch (error) {
            const fault = dialFault(error, image.asked);
            if (!(fault instanceof ImageFault)) throw fault;
            offering.failed(fault);
          }
        },
        [Symbol.dispose]() {
          offers.delete(offered);
          offered.ended.abort();
        },
      };
    },
    async take(image, layer, out, { sum, signal }) {
      const passing = { sum, thread, room, known, pace, cache, passed: () => {}, closed: signal, ended: signal };
      await passLayer(image, layer, out, passing);
      possession.note(image, layer);
    },
    countOf: (image, layer) => (possession.isShown(image, layer) ? known.get(layer.digest) : undefined),
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
