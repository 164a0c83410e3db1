/** Holds a duty during its work. If the duty is lost, or its state is unknown, the work is aborted at once. */
import type { Wait } from '../lib/wait.ts';

export type HoldingParts = {
  /** Renews the duty for `forMs`. False: another process has it. A rejection: unknown. */
  renew: () => Promise<boolean>;
  forMs: number;
  wait: Wait;
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number;
  /** Ends the holding, with the duty still held. */
  stop: AbortSignal;
};

/** Of a duty that was just taken. The answer aborts when it is lost, and its reason says why; at `stop` it is not renewed any more. */
export function holdDuty({ renew, forMs, wait, elapsed, stop }: HoldingParts): AbortSignal {
  const lost = new AbortController();
  let heldAt = elapsed();
  void (async () => {
    while (!stop.aborted) {
      await wait(forMs / 3, stop);
      if (stop.aborted) return;
      const askedAt = elapsed();
      // After too long a pause, the duty may have belonged to another process in between.
      const isLate = () => elapsed() - heldAt >= forMs;
      const isHeld = isLate() ? undefined : await renew().catch(() => undefined);
      if (isHeld === false) return lost.abort(new Error('Another process has the duty.'));
      if (isLate()) return lost.abort(new Error(`The duty was not renewed for ${Math.round(elapsed() - heldAt)} ms.`));
      if (isHeld) heldAt = askedAt;
    }
  })();
  return lost.signal;
}
