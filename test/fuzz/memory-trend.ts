/** Whether memory grows: what it is early on, when everything has been used once, against what it is at the end. Pure. */

type Memory = { heapBytes: number; rssBytes: number };

/** Compiled code, caches and pools are full after this part of the run. */
const warmUp = 0.3;
/** Medians of a heap after collection vary by 1 or 2 MB under load; the process by what its allocator keeps. */
const most = { heapBytes: 8 << 20, rssBytes: 48 << 20 };

export function createMemoryTrend() {
  const samples: (Memory & { progress: number })[] = [];

  const growth = () => {
    const warm = samples.filter(({ progress }) => progress >= warmUp);
    const third = Math.ceil(warm.length / 3);
    const median = (of: typeof samples, field: keyof Memory) =>
      of.map((each) => each[field]).toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0;
    return (['heapBytes', 'rssBytes'] as const).map((field) => ({
      field,
      from: median(warm.slice(0, third), field),
      to: median(warm.slice(-third), field),
    }));
  };

  return {
    count: () => samples.length,
    /** @param progress 0..1 of the run. */
    add: (memory: Memory, progress: number) => samples.push({ ...memory, progress }),
    complaint(): string | undefined {
      const grown = growth().find(({ field, from, to }) => to - from > most[field]);
      return grown && `memory grows: ${grown.field} from ${megabytes(grown.from)} to ${megabytes(grown.to)}`;
    },
    describe: () =>
      growth()
        .map(({ field, from, to }) => `${field} ${megabytes(from)} → ${megabytes(to)}`)
        .join(', '),
  };
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
