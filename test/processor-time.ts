/**
 * Bounds of durations: in processor time, because the clock also counts other work of the machine, and in milliseconds
 * of the machine on which the bounds were chosen, because others are slower.
 */
import assert from 'node:assert/strict';
import { parseDocument } from 'yaml';

/** A slow run is tried again: a processor that others use too has other things in its caches. */
const attempts = 5;

/** Nothing of ours, and of the same kind as what is bounded: a thousand lines for the library that reads all documents. */
const known = Array.from(
  { length: 250 },
  (_, n) => `k${n}:\n  - { a: "b ${n}", c: [1, 2] }\n  - d: e\n    f: g\n`,
).join('');
/** The time that they take on the machine on which the bounds were chosen. */
const knownMs = 15;

/** The result of `work`; fails if it takes `maxMs` or more of that machine, each time. */
export function within<T>(maxMs: number, work: () => T): T {
  const tooLong: number[] = [];
  while (tooLong.length < attempts) {
    const { value, ms } = timed(work);
    if (ms < maxMs || ms < maxMs * slowness()) return value;
    tooLong.push(ms);
  }
  assert.fail(`${tooLong.join(', ')} ms, on a machine that is ${slowness()} times slower than one for ${maxMs} ms`);
}

/** How many times slower than that machine this one is at present; 1 when it is as fast. */
function slowness(): number {
  const runs = Array.from({ length: attempts }, () => timed(() => parseDocument(known)).ms);
  return Math.max(1, Math.min(...runs) / knownMs);
}

/** In milliseconds of all threads of this process. */
function timed<T>(work: () => T): { value: T; ms: number } {
  const before = process.cpuUsage();
  const value = work();
  const { user, system } = process.cpuUsage(before);
  return { value, ms: (user + system) / 1000 };
}
