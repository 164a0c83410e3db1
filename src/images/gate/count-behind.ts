/**
 * Counting a layer behind its bytes: they go on while their count is under way, so that the engine unpacks meanwhile.
 * How far ahead they may be is bounded twice: by memory, and by what they could unpack to at the most.
 */
import type { UnpackedCounter } from './unpacked-bytes.ts';

/** What waits to be counted, of all layers that pass. */
export type CountingRoom = { takenBytes: number; readonly mostBytes: number };

export function createCountingRoom(mostBytes = 64 * 2 ** 20): CountingRoom {
  return { takenBytes: 0, mostBytes };
}

export type CountBehind = {
  /** Resolves when the next chunk may come. Throws UnpackFault. */
  write(chunk: Buffer): Promise<void>;
  /** Resolves when all has been counted. Throws UnpackFault. */
  end(): Promise<void>;
  /** To be called in any case. */
  destroy(): void;
};

/** `mayBeAhead`: told of each change, whether bytes may go on that unpack to so many at the most, and are not counted yet. */
export function countBehind(
  counter: UnpackedCounter,
  room: CountingRoom,
  mayBeAhead: (bytes: number) => boolean,
): CountBehind {
  let ahead = 0;
  let isHarmless = true;
  let fault: { reason: unknown } | undefined;
  let counting: Promise<void> = Promise.resolve();
  let progress = Promise.withResolvers<void>();

  function take(bytes: number): void {
    ahead += bytes;
    room.takenBytes += bytes;
    isHarmless = mayBeAhead(ahead * counter.mostRatio);
    progress.resolve();
    progress = Promise.withResolvers();
  }

  async function count(chunk: Buffer): Promise<void> {
    try {
      if (!fault) await counter.write(chunk);
    } catch (reason) {
      fault ??= { reason };
    }
    take(-chunk.length);
  }

  const mustWait = () => ahead > 0 && !fault && (room.takenBytes > room.mostBytes || !isHarmless);

  return {
    async write(chunk) {
      take(chunk.length);
      counting = counting.then(() => count(chunk));
      while (mustWait()) await progress.promise;
      if (fault) throw fault.reason;
    },
    async end() {
      await counting;
      if (fault) throw fault.reason;
      await counter.end();
    },
    destroy() {
      fault ??= { reason: new Error('the count was given up') };
      counter.destroy();
    },
  };
}
