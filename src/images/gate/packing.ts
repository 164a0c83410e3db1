/** PURE. Compression formats of layers, and the reasons to refuse one. */
import type { Digest } from '../../lib/digest.ts';

/** Decided by the first bytes, as engines decide it. `uncounted`: engines can unpack it, this service cannot. */
export type Packing = 'gzip' | 'zstd' | 'none' | 'uncounted';

/** The number of bytes that decide. */
export const headBytes = 6;

export function packingOf(head: Buffer): Packing {
  if (head.length >= 3 && head[0] === 0x1f && head[1] === 0x8b && head[2] === 0x08) return 'gzip';
  if (head.length >= 4 && isZstd(head.readUInt32LE(0))) return 'zstd';
  // bzip2 and xz: engines unpack these too, and no build tool writes such layers.
  const isUncounted =
    head.subarray(0, 3).equals(Buffer.from('BZh')) ||
    head.subarray(0, 6).equals(Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]));
  return isUncounted ? 'uncounted' : 'none';
}

/** The magic number of a frame, or of a skippable frame, with which parallel compressors begin (RFC 8878, 3.1). */
function isZstd(magic: number): boolean {
  return magic === 0xfd2fb528 || (magic & 0xfffffff0) >>> 0 === 0x184d2a50;
}

/** The unpacked form of a layer: the size of the archive, and the digest by which image configurations name it. */
export type Unpacked = { bytes: number; diffId: Digest; packing: Packing };

export type LayerFlaw = 'broken' | 'uncounted' | 'packed-twice';

/** `too-large`: it unpacks to more than was allowed; counting ended there. */
export type Count =
  | { kind: 'counted'; unpacked: Unpacked }
  | { kind: 'flawed'; flaw: LayerFlaw }
  | { kind: 'too-large' };
