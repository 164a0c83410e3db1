/** Counting what a layer unpacks to, while it passes. */
import { once } from 'node:events';
import type { Transform } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';

/** What an engine would unpack, told by its first bytes as engines tell it: they go by no other word. */
export type Packing = 'gzip' | 'zstd' | 'none' | 'uncounted';

/** At least so many bytes tell. */
export const headBytes = 6;

export function packingOf(head: Buffer): Packing {
  if (head.length >= 3 && head[0] === 0x1f && head[1] === 0x8b && head[2] === 0x08) return 'gzip';
  if (head.length >= 4 && head.readUInt32LE(0) === 0xfd2fb528) return 'zstd';
  // bzip2, xz and the frames that zstd skips: engines unpack these too, and nobody packs layers so.
  const isUncounted =
    head.subarray(0, 3).equals(Buffer.from('BZh')) ||
    head.subarray(0, 6).equals(Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00])) ||
    (head.length >= 4 && (head.readUInt32LE(0) & 0xfffffff0) >>> 0 === 0x184d2a50);
  return isUncounted ? 'uncounted' : 'none';
}

export class UnpackFault extends Error {
  readonly kind: 'too-large' | 'broken' | 'uncounted';
  constructor(kind: UnpackFault['kind'], options?: ErrorOptions) {
    super(kind, options);
    this.kind = kind;
  }
}

export type UnpackedCounter = {
  /** A byte of it unpacks to so many at the most. */
  readonly mostRatio: number;
  /** Resolves when what it unpacks to has been counted. Throws UnpackFault. */
  write(chunk: Buffer): Promise<void>;
  /** Resolves when all has been counted. Throws UnpackFault. */
  end(): Promise<void>;
  /** To be called in any case. */
  destroy(): void;
};

/** Told the count so far; false when it is too much. */
export type Judge = (bytes: number) => boolean;

export type UnpackingCount = Omit<UnpackedCounter, 'mostRatio'> & {
  /** So far. */
  bytes(): number;
};

/** Larger pieces cost fewer changes of threads, and are slower to come by. */
const pieces = { chunkSize: 2 ** 18, highWaterMark: 2 ** 20 };

/** By unpacking it. `told`: the count so far, whenever more has come. */
export function countUnpacked(packing: 'gzip' | 'zstd', told: (bytes: number) => void): UnpackingCount {
  const unpack: Transform = packing === 'gzip' ? createGunzip(pieces) : createZstdDecompress(pieces);
  let bytes = 0;
  let fault: UnpackFault | undefined;
  unpack.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    told(bytes);
  });
  unpack.on('error', (error) => {
    fault ??= new UnpackFault('broken', { cause: error });
  });
  // An end of the packed stream before that of the layer closes it too: what follows is not unpacked by anybody.
  const closed = once(unpack, 'close').catch(() => {});
  const isOver = () => unpack.destroyed || unpack.readableEnded;
  return {
    bytes: () => bytes,
    async write(chunk) {
      if (!fault && !isOver()) {
        const unpacked = Promise.withResolvers<void>();
        unpack.write(chunk, () => unpacked.resolve());
        await Promise.race([unpacked.promise, closed]);
      }
      if (fault) throw fault;
    },
    async end() {
      if (!fault && !isOver()) {
        const ended = new AbortController();
        const isEnded = once(unpack, 'end', { signal: ended.signal }).catch(() => {});
        unpack.end();
        await Promise.race([isEnded, closed]);
        ended.abort();
      }
      if (fault) throw fault;
    },
    destroy: () => void unpack.destroy(),
  };
}
