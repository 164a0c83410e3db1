/**
 * Choices of a test by chance, the same again with the same seed. `BERTH_TEST_SEED=<number>` repeats a run,
 * `BERTH_TEST_WHOLE=1` leaves nothing out.
 */
import { randomInt } from 'node:crypto';
import { randomFrom } from '../random.ts';

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
  const next = randomFrom(seed);
  return {
    seed,
    next,
    pick: (from) => from[Math.floor(next() * from.length)]!,
    some(from, count) {
      if (process.env.BERTH_TEST_WHOLE === '1') return [...from];
      const order = from.map((_, index) => ({ index, at: next() })).toSorted((a, b) => a.at - b.at);
      const chosen = new Set(order.slice(0, count).map(({ index }) => index));
      return from.filter((_, index) => chosen.has(index));
    },
  };
}
