/** PURE. What an engine would unpack, and what can be wrong with it. */
import type { Digest } from '../../lib/digest.ts';

/** Told by the first bytes, as engines tell it: they go by no other word. */
export type Packing = 'gzip' | 'zstd' | 'none' | 'uncounted';

/** At least so many bytes tell. */
export const headBytes = 6;

export function packingOf(head: Buffer): Packing {
  if (head.length >= 3 && head[0] === 0x1f && head[1] === 0x8b && head[2] === 0x08) return 'gzip';
  if (head.length >= 4 && isZstd(head.readUInt32LE(0))) return 'zstd';
  // bzip2 and xz: engines unpack these too, and nobody packs layers so.
  const isUncounted =
    head.subarray(0, 3).equals(Buffer.from('BZh')) ||
    head.subarray(0, 6).equals(Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]));
  return isUncounted ? 'uncounted' : 'none';
}

/** Of a frame, or of one to skip, with which what packs in parallel begins (RFC 8878, 3.1). */
function isZstd(magic: number): boolean {
  return magic === 0xfd2fb528 || (magic & 0xfffffff0) >>> 0 === 0x184d2a50;
}

export class UnpackFault extends Error {
  readonly kind: 'too-large' | 'broken' | 'uncounted' | 'packed-twice';

  constructor(kind: UnpackFault['kind'], options?: ErrorOptions) {
    super(kind, options);
    this.kind = kind;
  }
}

/** What a layer unpacks to: an archive of so many bytes, which images' configurations know by this digest. */
export type Unpacked = { bytes: number; diffId: Digest };

export type Unpacking = {
  /** Resolves when the next may come: one is unpacked meanwhile. Throws UnpackFault. */
  write(chunk: Buffer): Promise<void>;
  /** Resolves when all has been unpacked and taken. Throws UnpackFault. */
  end(): Promise<Unpacked>;
  /** To be called in any case. */
  destroy(): void;
};

export type Taker = {
  /** Told the count so far; false when it is too much. */
  isAllowed(bytes: number): boolean;
  /** What it has unpacked to, piece by piece: each is good until its promise resolves. Without this it is only counted. */
  take?(piece: Uint8Array): Promise<void>;
};
