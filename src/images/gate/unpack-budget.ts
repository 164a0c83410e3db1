/**
 * How many bytes are unpacked for each client per hour. Unpacking takes a processor, and a layer of 1 MB can unpack to many
 * GiB. Each process counts for itself.
 */
import { createLimiter } from '../../lib/rate-limit.ts';
import { overBudget } from '../image-fault.ts';
import type { ResolvedUpstream } from '../resolve/resolve.ts';

export type UnpackBudget = {
  /** Throws ImageFault if the client has used up its budget. */
  check(image: Pick<ResolvedUpstream, 'payer' | 'asked'>): void;
  /** Counts bytes that were unpacked for a client. */
  spend(payer: string, bytes: number): void;
};

const windowMs = 3_600_000;

/** `uptime`: milliseconds; never jumps. An image without a payer is pulled for Berth itself and has no budget. */
export function createUnpackBudget(bytesPerHour: number, uptime = () => performance.now()): UnpackBudget {
  const limiter = createLimiter({ count: bytesPerHour, windowMs });
  return {
    check({ payer, asked }) {
      if (payer === '') return;
      const { isAllowed, resetsInMs } = limiter.take(payer, uptime(), 0);
      if (!isAllowed) throw overBudget(asked.image, bytesPerHour, resetsInMs);
    },
    spend(payer, bytes) {
      if (payer !== '') limiter.take(payer, uptime(), bytes);
    },
  };
}
