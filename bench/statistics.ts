/** PURE. Figures out of samples. */

export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The smallest sample that at least `share` (0..1) of all samples do not exceed: the nearest-rank method. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

export type Ratio = {
  ofMedians: number;
  /** Divides sample i by sample i, because a disturbance of one round affects both sides. */
  medianOfPairs: number;
};

export function ratioOf(ours: readonly number[], theirs: readonly number[]): Ratio {
  const pairs = ours.map((ourMs, index) => ourMs / theirs[index]!);
  return { ofMedians: median(ours) / median(theirs), medianOfPairs: median(pairs) };
}
