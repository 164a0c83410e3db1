/** Converts values to lines: the upper end of a chart, and the path of a line with its gaps. Pure. */

export type Line = readonly (number | null)[];

/** Bytes have steps of their own, so that a limit of 512 MiB is a round number. */
export type Unit = 'plain' | 'bytes';

/** Returns the smallest round number that is not below the values and the chart's minimum. */
export function topOf(most: number, least: number, unit: Unit = 'plain'): number {
  const wanted = Math.max(most, least);
  if (wanted <= 0) return 1;
  const base =
    unit === 'bytes' ? 1024 ** Math.floor(Math.log(wanted) / Math.log(1024)) : 10 ** Math.floor(Math.log10(wanted));
  const steps = unit === 'bytes' ? [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] : [1, 2, 5, 10];
  return (steps.find((step) => step * base >= wanted) ?? steps.at(-1)!) * base;
}

export function maxOf(lines: readonly Line[]): number {
  return lines.flat().reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
}

/**
 * Returns the path in a box from 0 to 1, downwards. A single value becomes a short line, because a point has no length.
 */
export function pathOf(line: Line, top: number): string {
  const width = Math.max(line.length - 1, 1);
  let path = '';
  for (const [index, value] of line.entries()) {
    if (value === null) continue;
    const at = `${coordinate(index / width)} ${coordinate(1 - Math.min(value / top, 1))}`;
    const isFirst = (line[index - 1] ?? null) === null;
    path += `${isFirst ? 'M' : 'L'}${at}`;
    if (isFirst && (line[index + 1] ?? null) === null) path += 'h0.002';
  }
  return path;
}

/** The area below a line, each of its parts closed. */
export function areaOf(line: Line, top: number): string {
  const width = Math.max(line.length - 1, 1);
  let area = '';
  let from: number | undefined;
  for (const [index, value] of [...line, null].entries()) {
    if (value !== null) {
      if (from === undefined) area += `M${coordinate(index / width)} 1`;
      from ??= index;
      area += `L${coordinate(index / width)} ${coordinate(1 - Math.min(value / top, 1))}`;
    } else if (from !== undefined) {
      area += `L${coordinate((index - 1) / width)} 1Z`;
      from = undefined;
    }
  }
  return area;
}

/** Reduces a line to a maximum number of points, each the mean of several steps. */
export function thinned(line: Line, most: number): Line {
  const each = Math.ceil(line.length / most);
  if (each <= 1) return line;
  return Array.from({ length: Math.ceil(line.length / each) }, (_, index) => {
    // From the end, because the newest values are of complete steps.
    const to = line.length - (Math.ceil(line.length / each) - 1 - index) * each;
    const known = line.slice(Math.max(0, to - each), to).filter((value) => value !== null);
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  });
}

function coordinate(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
