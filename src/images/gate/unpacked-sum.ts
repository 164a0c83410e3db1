/** What the layers of one image unpack to together, held against what it may. */
import { type ImageFault, outOfDisk } from '../image-fault.ts';
import { type JudgedLimits, printLimit, smallerHint } from '../resolve/image-limits.ts';
import { refusal } from '../resolve/resolve.ts';
import type { Asked } from '../upstream/registry-faults.ts';

export type UnpackedSum = {
  /** Notes what a layer unpacks to so far; false when that is too much. */
  count(digest: string, bytes: number): boolean;
  /** Whether so many bytes of a layer, which may be there and are not counted yet, harm nobody. */
  mayBeAhead(digest: string, bytes: number): boolean;
  /** What is wrong when it is too much. */
  fault(): ImageFault;
};

/** `roomBytes`: of the engine's disk, where that is known. */
export function createUnpackedSum(
  asked: Asked,
  { unpacked }: Pick<JudgedLimits, 'unpacked'>,
  roomBytes: number = Number.POSITIVE_INFINITY,
): UnpackedSum {
  const limit = unpacked.bytes;
  const counted = new Map<string, number>();
  const ahead = new Map<string, number>();
  const sumOf = (parts: ReadonlyMap<string, number>) => [...parts.values()].reduce((sum, each) => sum + each, 0);

  return {
    count(digest, bytes) {
      counted.set(digest, bytes);
      return sumOf(counted) <= Math.min(roomBytes, limit);
    },
    // An image that is too large may be on the disk for a moment, before its count has come so far, where it has room.
    mayBeAhead(digest, bytes) {
      ahead.set(digest, bytes);
      return sumOf(counted) + sumOf(ahead) <= (Number.isFinite(roomBytes) ? roomBytes : limit);
    },
    fault() {
      if (sumOf(counted) <= limit) return outOfDisk(asked.image);
      return refusal(asked, `unpacks to more than ${printLimit(unpacked)}`, smallerHint);
    },
  };
}
