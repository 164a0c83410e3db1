/** What the layers of one image unpack to together, held against what it may. */
import { type ImageFault, outOfDisk } from '../image-fault.ts';
import { type JudgedLimits, printLimit, smallerHint } from '../resolve/image-limits.ts';
import { refusal } from '../resolve/resolve.ts';
import type { Asked } from '../upstream/registry-faults.ts';

export type UnpackedSum = {
  /** Notes what a layer unpacks to so far; false when that is too much. */
  count(digest: string, bytes: number): boolean;
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
  const sum = () => [...counted.values()].reduce((bytes, each) => bytes + each, 0);

  return {
    count(digest, bytes) {
      counted.set(digest, bytes);
      return sum() <= Math.min(roomBytes, limit);
    },
    fault() {
      if (sum() <= limit) return outOfDisk(asked.image);
      return refusal(asked, `unpacks to more than ${printLimit(unpacked)}`, smallerHint);
    },
  };
}
