/** Holding a duty while what it is for is done: whoever loses it, or cannot know, ends what is under way at once. */
import type { Wait } from '../lib/wait.ts';

export type HoldingParts = {
  /** Takes the duty for `forMs` again; false: somebody else has it. A rejection: nobody can tell now. */
  renew: () => Promise<boolean>;
  forMs: number;
  wait: Wait;
  /** Milliseconds of a clock that nobody sets. */
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
      // Whoever has slept for longer asks too late: another one may have had it meanwhile.
      const isLate = () => elapsed() - heldAt >= forMs;
      const isHeld = isLate() ? undefined : await renew().catch(() => undefined);
      if (isHeld === false) return lost.abort(new Error('Another process has the duty.'));
      if (isLate()) return lost.abort(new Error(`The duty was not renewed for ${Math.round(elapsed() - heldAt)} ms.`));
      if (isHeld) heldAt = askedAt;
    }
  })();
  return lost.signal;
}
