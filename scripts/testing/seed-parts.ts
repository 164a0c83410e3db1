/** PURE. Splits consecutive seeds into parts for processes. */
export type SeedPart = { from: number; seeds: number };

/** Parts of `most` seeds, and one of the rest. */
export function partsOf({ from, seeds, most }: SeedPart & { most: number }): SeedPart[] {
  return Array.from({ length: Math.ceil(seeds / most) }, (_, index) => ({
    from: from + index * most,
    seeds: Math.min(most, seeds - index * most),
  }));
}
