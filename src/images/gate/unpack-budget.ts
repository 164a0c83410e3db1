/**
 * Limits the bytes that are unpacked for each client per hour. Unpacking uses a processor, and a layer of 1 MB can
 * unpack to many GiB. Each process counts separately.
 */
import { createLimiter } from '../../lib/rate-limit.ts';
import { type ImageFault, outOfDisk, overBudget } from '../image-fault.ts';
import { type JudgedLimits, printLimit, smallerHint } from '../resolve/image-limits.ts';
import { type ResolvedUpstream, refusal } from '../resolve/resolve.ts';
import type { RequestContext } from '../upstream/registry-faults.ts';

export type UnpackBudget = {
  /** Throws ImageFault if the client has used up its budget. */
  check(image: Pick<ResolvedUpstream, 'payer' | 'context'>): void;
  /** Counts bytes that were unpacked for a client. */
  spend(payer: string, bytes: number): void;
};

const windowMs = 3_600_000;

/** `uptime`: milliseconds; never jumps. An image without a payer is pulled for Berth itself and has no budget. */
export function createUnpackBudget(bytesPerHour: number, uptime = () => performance.now()): UnpackBudget {
  const limiter = createLimiter({ count: bytesPerHour, windowMs });
  return {
    check({ payer, context }) {
      if (payer === '') return;
      const { isAllowed, resetsInMs } = limiter.take(payer, uptime(), 0);
      if (!isAllowed) throw overBudget(context.image, bytesPerHour, resetsInMs);
    },
    spend(payer, bytes) {
      if (payer !== '') limiter.take(payer, uptime(), bytes);
    },
  };
}

/** The unpacked size of all layers of one image, compared with the limit. */

export type UnpackedSum = {
  /** Adds the unpacked size of a layer. Returns false if the sum exceeds the limit. */
  count(digest: string, bytes: number): boolean;
  /** The bytes that the other layers leave for this one. */
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
