/**
 * The values of the last hour, one per step of the clock. A step without a measurement has none. If the clock is set
 * back, earlier values are removed, because they would be in the future.
 */
import type { Instant } from '../deployment.ts';

/** The interval of measurements, and their number in an hour. */
export const stepMs = 10_000;
export const retainedSteps = 360;

export function stepAt(at: Instant): number {
  return Math.floor(at / stepMs);
}

export type Values<Name extends string> = Record<Name, number | null>;

export type Series<Name extends string> = {
  add(step: number, values: Values<Name>): void;
  /** Returns the values of the newest measured step; undefined before the first measurement. */
  newest(): { step: number; values: Values<Name> } | undefined;
  /** Returns the values from one step to another, inclusive. */
  read(name: Name, from: number, to: number): (number | null)[];
};

export function createSeries<Name extends string>(names: readonly Name[]): Series<Name> {
  const rings = new Map(names.map((name) => [name, new Float32Array(retainedSteps).fill(Number.NaN)]));
  let newest: number | undefined;

  const valueAt = (name: Name, step: number): number | null => {
    if (newest === undefined || step > newest || step <= newest - retainedSteps) return null;
    const value = rings.get(name)![placeOf(step)]!;
    return Number.isNaN(value) ? null : value;
  };

  return {
    add(step, values) {
      const isBack = newest !== undefined && step < newest;
      const skippedFrom = newest === undefined || isBack ? step - retainedSteps + 1 : newest + 1;
      for (let skipped = Math.max(skippedFrom, step - retainedSteps + 1); skipped < step; skipped++)
        for (const ring of rings.values()) ring[placeOf(skipped)] = Number.NaN;
      newest = step;
      for (const name of names) rings.get(name)![placeOf(step)] = values[name] ?? Number.NaN;
    },
    newest: () =>
      newest === undefined
        ? undefined
        : {
            step: newest,
            values: Object.fromEntries(names.map((name) => [name, valueAt(name, newest!)])) as Values<Name>,
          },
    read: (name, from, to) =>
      Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => valueAt(name, from + index)),
  };
}

/** Returns the position in a ring buffer. A clock may begin before 1970. */
function placeOf(step: number): number {
  return ((step % retainedSteps) + retainedSteps) % retainedSteps;
}

/** Returns the mean of the existing values; null without values. */
export function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
