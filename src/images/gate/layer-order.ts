/**
 * Which layer of an image goes first. An engine unpacks one layer on top of the other: while it unpacks the first, the
 * second comes. Were all to share the processor, the first would be there with the last, and all be unpacked after that.
 */
import { orAbort } from '../../lib/abortable.ts';

/** How long a layer may wait for its registry before others go on; less passes between two pieces of a quick one. */
const betweenMs = 3;

/** An engine that takes nothing of a layer for so long takes others meanwhile. */
const stalledMs = 1_000;

type State = { kind: 'idle' | 'at-work'; since: number } | { kind: 'waiting'; go: () => void };

/** `at`: of the layer, in the image. */
type Place = { at: number; state: State };

export type LayerOrder = {
  /** The chunks of a layer as they come, each when no earlier layer of the image is at work. */
  pass(at: number, chunks: AsyncIterable<Buffer>, signal: AbortSignal): AsyncIterable<Buffer>;
};

export function createLayerOrder(now: () => number = () => performance.now()): LayerOrder {
  let places: Place[] = [];
  let timer: NodeJS.Timeout | undefined;

  /** Lets the first one go on that waits, when nothing before it is at work. */
  function review(): void {
    clearTimeout(timer);
    if (!places.some(({ state }) => state.kind === 'waiting')) return;
    for (const { state } of places) {
      if (state.kind === 'waiting') {
        state.go();
        // Nobody tells that it has come to a stop.
        if (places.some((each) => each.state.kind === 'waiting')) timer = setTimeout(review, stalledMs);
        return;
      }
      const leftMs = state.since + (state.kind === 'idle' ? betweenMs : stalledMs) - now();
      if (leftMs <= 0) continue;
      timer = setTimeout(review, leftMs);
      return;
    }
  }

  return {
    async *pass(at, chunks, signal) {
      const place: Place = { at, state: { kind: 'idle', since: now() } };
      const become = (state: State) => {
        place.state = state;
        review();
      };
      places = [...places, place].toSorted((one, other) => one.at - other.at);
      try {
        for await (const chunk of chunks) {
          const turn = Promise.withResolvers<void>();
          become({
            kind: 'waiting',
            go: () => {
              place.state = { kind: 'at-work', since: now() };
              turn.resolve();
            },
          });
          await orAbort(turn.promise, signal);
          yield chunk;
          become({ kind: 'idle', since: now() });
        }
      } finally {
        places = places.filter((each) => each !== place);
        review();
      }
    },
  };
}
