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
  /** Resolves when what it unpacks to has been counted, but for some 100 kB. Throws UnpackFault. */
  write(chunk: Buffer): Promise<void>;
  /** Resolves when all has been counted. Throws UnpackFault. */
  end(): Promise<void>;
  /** To be called when it is not ended. */
  destroy(): void;
};

/** Told the count so far; false when it is too much. */
export type Judge = (bytes: number) => boolean;

/** `head`: the first bytes, which are to be written too. */
export function countUnpacked(head: Buffer, isAllowed: Judge): UnpackedCounter {
  const packing = packingOf(head);
  if (packing === 'uncounted') throw new UnpackFault('uncounted');
  if (packing === 'none') return countPlain(isAllowed);
  return countWith(packing === 'gzip' ? createGunzip(pieces) : createZstdDecompress(pieces), isAllowed);
}

/** Large pieces: each costs a change of threads. So much may wait to be counted while more comes. */
const pieces = { chunkSize: 2 ** 19, highWaterMark: 2 ** 20 };

function countPlain(isAllowed: Judge): UnpackedCounter {
  let bytes = 0;
  return {
    async write(chunk) {
      bytes += chunk.length;
      if (!isAllowed(bytes)) throw new UnpackFault('too-large');
    },
    end: async () => {},
    destroy() {},
  };
}

function countWith(unpack: Transform, isAllowed: Judge): UnpackedCounter {
  let bytes = 0;
  let fault: UnpackFault | undefined;
  unpack.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (!isAllowed(bytes)) unpack.destroy(new UnpackFault('too-large'));
  });
  unpack.on('error', (error) => {
    fault ??= error instanceof UnpackFault ? error : new UnpackFault('broken', { cause: error });
  });
  const settle = async (event: 'drain' | 'end') => {
    // An end of the packed stream before that of the layer closes it too: what follows is not unpacked by anybody.
    const settled = new AbortController();
    const options = { signal: settled.signal };
    const waits = [event, 'close'].map((name) => once(unpack, name, options).catch(() => {}));
    await Promise.race(waits);
    settled.abort();
    if (fault) throw fault;
  };
  return {
    async write(chunk) {
      if (fault) throw fault;
      if (unpack.destroyed || unpack.readableEnded) return;
      if (!unpack.write(chunk)) await settle('drain');
    },
    async end() {
      if (fault) throw fault;
      if (!unpack.destroyed && !unpack.readableEnded) {
        const ended = settle('end');
        unpack.end();
        await ended;
      }
    },
    destroy: () => void unpack.destroy(),
  };
}
