/**
 * Choices of a test by chance, the same again with the same seed. `BERTH_TEST_SEED=<number>` repeats a run,
 * `BERTH_TEST_WHOLE=1` leaves nothing out.
 */
import { randomInt } from 'node:crypto';

export type Chance = {
  seed: number;
  /** 0 ≤ x < 1. */
  next(): number;
  pick<T>(from: readonly T[]): T;
  /** So many of them, in their order; all of them in a whole run. */
  some<T>(from: readonly T[], count: number): T[];
};

/** The seed is printed, so that a failure can be repeated. */
export function createChance(): Chance {
  const seed = Number(process.env.BERTH_TEST_SEED ?? randomInt(2 ** 31));
  console.log(`BERTH_TEST_SEED=${seed}`);
  let state = seed;
  // mulberry32: 32 bits of state are plenty for a few hundred choices.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    ...{ seed, next },
    pick: (from) => from[Math.floor(next() * from.length)]!,
    some(from, count) {
      if (process.env.BERTH_TEST_WHOLE === '1') return [...from];
      const order = from.map((_, index) => ({ index, at: next() })).toSorted((a, b) => a.at - b.at);
      const chosen = new Set(order.slice(0, count).map(({ index }) => index));
      return from.filter((_, index) => chosen.has(index));
    },
  };
}
