/** The unpacked size of all layers of one image, compared with the limit. */
import { type ImageFault, outOfDisk } from '../image-fault.ts';
import { type JudgedLimits, printLimit, smallerHint } from '../resolve/image-limits.ts';
import { refusal } from '../resolve/resolve.ts';
import type { RequestContext } from '../upstream/registry-faults.ts';

export type UnpackedSum = {
  /** Adds the unpacked size of a layer. Returns false if the sum exceeds the limit. */
  count(digest: string, bytes: number): boolean;
  /** Bytes that the other layers leave for this layer. */
  leftBytes(digest: string): number;
  /** The refusal when it is too much. */
  fault(): ImageFault;
};

/** `roomBytes`: of the engine's disk, where that is known. */
export function createUnpackedSum(
  requested: RequestContext,
  { unpacked }: Pick<JudgedLimits, 'unpacked'>,
  roomBytes: number = Number.POSITIVE_INFINITY,
): UnpackedSum {
  const limit = unpacked.bytes;
  const counted = new Map<string, number>();
  const most = Math.min(roomBytes, limit);
  const sum = () => [...counted.values()].reduce((bytes, each) => bytes + each, 0);

  return {
    count(digest, bytes) {
      counted.set(digest, bytes);
      return sum() <= most;
    },
    leftBytes: (digest) => Math.max(0, most - sum() + (counted.get(digest) ?? 0)),
    fault() {
      if (sum() <= limit) return outOfDisk(requested.image);
      return refusal(requested, `unpacks to more than ${printLimit(unpacked)}`, smallerHint);
    },
  };
}
