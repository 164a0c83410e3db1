/** The lines of the pods, up to the maximum of a page. Pure. */

import type { LogLine } from '../../../src/client/client.ts';

export type Line = LogLine & { number: number };
export type Stream = NonNullable<LogLine['stream']>;

/** `revision`: 0 for all; a text that is empty: all. */
export type Filter = { pod: string; revision: number; stream: Stream | ''; search: string };

/** The number of lines per block. A new line only renders its own block. */
const blockSize = 25;
/** Older lines are dropped while new ones arrive. They can be loaded again. */
export const maxLines = 5_000;
/** The page stops loading earlier lines here. */
export const maxEarlierLines = 50_000;

/**
 * A reopened stream repeats existing lines, which are ignored. A line that a container wrote before a repeated one is
 * older than the shown lines, even if it has the same timestamp.
 */
export function addLines(lines: readonly Line[], come: readonly LogLine[]): Line[] {
  const last = lines.at(-1);
  const atEnd = new Set(lines.slice(-maxRepeated).map(idOf));
  const isNews = (line: LogLine) => !last || line.at > last.at || !atEnd.has(idOf(line));
  const known = new Map(come.flatMap((line, index) => (isNews(line) ? [] : [[containerOf(line), index]])));
  const news = come.filter((line, index) => index > (known.get(containerOf(line)) ?? -1) && isNews(line));
  const first = (last?.number ?? 0) + 1;
  return [...lines, ...news.map((line, index) => ({ ...line, number: first + index }))].slice(-maxLines);
}

/** The maximum number of lines that the service repeats when a stream is reopened. */
const maxRepeated = 1_000;

/**
 * Removes lines before the first gap. The response has the last `tail` lines of each container. Older lines of a
 * container are hidden until the others' lines of that time are loaded.
 */
export function withoutGaps(come: readonly LogLine[], tail: number): readonly LogLine[] {
  const ofContainers = Object.values(Object.groupBy(come, containerOf));
  const begins = ofContainers.flatMap((lines = []) => (lines.length >= tail ? lines[0]!.at : []));
  const from = begins.toSorted().at(-1) ?? '';
  return come.filter(({ at }) => at >= from);
}

/**
 * Returns the lines before the first shown line. Their numbers decrease from it, so that shown lines keep their
 * numbers. Several lines may have its time, and some of them are shown already.
 */
export function linesBefore(shown: readonly Line[], come: readonly LogLine[]): Line[] {
  const first = shown[0];
  if (!first) return [];
  const known = new Set(shown.filter(({ at }) => at === first.at).map(idOf));
  const news = come.filter((line) => line.at <= first.at && !known.has(idOf(line)));
  const begin = first.number - news.length;
  return news.map((line, index) => ({ ...line, number: begin + index }));
}

function idOf(line: LogLine): string {
  return `${line.at} ${containerOf(line)} ${line.stream} ${line.text}`;
}

function containerOf({ pod, revision }: LogLine): string {
  return `${pod} ${revision}`;
}

export function matching(lines: readonly Line[], { pod, revision, stream, search }: Filter): readonly Line[] {
  if (pod === '' && revision === 0 && stream === '' && search === '') return lines;
  const wanted = search.toLowerCase();
  return lines.filter(
    (line) =>
      (pod === '' || line.pod === pod) &&
      (revision === 0 || line.revision === revision) &&
      (stream === '' || line.stream === stream) &&
      line.text.toLowerCase().includes(wanted),
  );
}

/**
 * Returns the revisions with output, latest first. A pod that an update did not change still has an earlier revision.
 */
export function revisionsOf(lines: readonly Line[]): number[] {
  return [...new Set(lines.map(({ revision }) => revision))].sort((a, b) => b - a);
}

/** Splits lines into blocks with fixed borders, so that full blocks stay the same. */
export function inBlocks(lines: readonly Line[]): { key: number; lines: Line[] }[] {
  const blocks: { key: number; lines: Line[] }[] = [];
  for (const line of lines) {
    const key = Math.floor(line.number / blockSize);
    const block = blocks.at(-1);
    if (block?.key === key) block.lines.push(line);
    else blocks.push({ key, lines: [line] });
  }
  return blocks;
}

/** A text cut where a search finds something: every second part is a find. */
export function cutAt(text: string, search: string): string[] {
  if (search === '') return [text];
  const parts: string[] = [];
  const lower = text.toLowerCase();
  const wanted = search.toLowerCase();
  let from = 0;
  // Lower case can change the length of a character. Then positions would differ, and nothing is marked.
  if (lower.length !== text.length) return [text];
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), text.slice(at, at + wanted.length));
    from = at + wanted.length;
  }
  return [...parts, text.slice(from)];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they are made of
const terminalCodes = /\u001b\[[0-9;?]*[A-Za-z]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b./g;

/** Colours are for terminals. */
export function withoutCodes(text: string): string {
  return text.includes('\u001b') ? text.replace(terminalCodes, '') : text;
}

export type Level = 'error' | 'warning';

/** Words at the start of such lines, or levels in JSON lines. */
const levels: readonly [Level, RegExp][] = [
  ['error', /\b(?:error|err|fatal|panic|critical|emerg|exception|traceback)\b|"level":\s*(?:"(?:error|fatal)"|[56]0)/i],
  ['warning', /\b(?:warn|warning|deprecated)\b|"level":\s*(?:"warn"|40)/i],
];
/** Later in a line, such a word usually refers to something else. */
const levelWithin = 120;

/** Returns the severity of a line from its words. Undefined for most. */
export function levelOf(text: string): Level | undefined {
  const head = text.slice(0, levelWithin);
  return levels.find(([, words]) => words.test(head))?.[0];
}

/** The hues (of OKLCH) that colours of pods may have: red is the colour of errors. */
const firstHue = 65;
const hues = 275;
/** With the golden ratio, each hue falls into the widest gap that the previous hues have left. */
const step = hues * 0.618034;

/** Returns the hue for the pod at this position of the list. Hues are unique. */
export function hueOf(index: number): number {
  return Math.round((firstHue + ((index * step) % hues)) * 10) / 10;
}
