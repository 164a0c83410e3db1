/** Counts how often each test file failed next to others and passed alone, over several runs. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The second retry of a file is bad luck at most. The third time, the file itself needs a fix. */
export const toleratedTimes = 2;

type Counts = Record<string, number>;

/** PURE. Returns `counts` incremented for each of `files`, and the files without a retry left. */
export function countUnsteady(counts: Counts, files: readonly string[]): { counts: Counts; exhausted: string[] } {
  const next = { ...counts };
  for (const file of new Set(files)) next[file] = (next[file] ?? 0) + 1;
  return { counts: next, exhausted: [...new Set(files)].filter((file) => next[file]! > toleratedTimes) };
}

/** Adds `files` to the record at `path` and returns those without a retry left. An unreadable record starts again. */
export async function recordUnsteady(path: string, files: readonly string[]): Promise<string[]> {
  if (files.length === 0) return [];
  const { counts, exhausted } = countUnsteady(await readCounts(path), files);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, JSON.stringify(counts, undefined, 2));
  await rename(`${path}.new`, path);
  return exhausted;
}

async function readCounts(path: string): Promise<Counts> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Counts;
  } catch {
    return {};
  }
}
