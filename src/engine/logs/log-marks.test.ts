import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LogMark } from '../engine.ts';
import { createMarker, type StampedLine, sinceOf } from './log-marks.ts';

const noon = Date.UTC(2026, 0, 1, 12);

/** A line so many milliseconds after noon. */
const line = (ms: number, text: string): StampedLine => {
  const stamp = new Date(noon + ms).toISOString().replace('Z', '000000Z');
  return { at: noon + ms, stamp, text };
};

/** Docker's response: lines in storage order, without those before `since`. */
const since = (stored: readonly StampedLine[], from: number | undefined) =>
  stored.filter(({ at }) => from === undefined || at >= from);

/**
 * Reads a growing log: at each read, it has the number of lines in `seen`, and reading continues after the last mark.
 */
function readOn(stored: readonly StampedLine[], seen: number[], startedAtMs = noon + 1e9): string[] {
  let last: LogMark | undefined;
  return seen.flatMap((count) => {
    const answer = since(stored.slice(0, count), sinceOf(last, 'one', startedAtMs));
    const mark = createMarker('one', last);
    return answer.flatMap((each) => {
      const reported = mark(each);
      last = reported?.mark ?? last;
      return reported?.text ?? [];
    });
  });
}

test('however often reading is interrupted, each line comes once, also of those with one stamp', () => {
  // The two outputs are stored a little out of order.
  const steps = fc.array(fc.integer({ min: -20, max: 400 }), { maxLength: 60 });
  fc.assert(
    fc.property(steps, fc.array(fc.nat(60)), (between, cuts) => {
      let at = 0;
      let latest = 0;
      const stored = between.map((step, index) => {
        at = Math.max(latest - 20, at + (step > 200 ? 0 : step));
        latest = Math.max(latest, at);
        return line(at, `${index}`);
      });
      const seen = [...cuts.map((cut) => Math.min(cut, stored.length)).sort((a, b) => a - b), stored.length];
      assert.deepEqual(
        readOn(stored, seen),
        stored.map(({ text }) => text),
      );
    }),
  );
});

test('a clock that was set back while lines were read hides none and doubles none', () => {
  const stored = [line(9_000, 'late'), line(100, 'early'), line(200, 'then')];
  assert.deepEqual(readOn(stored, [1, 2, 3], noon), ['late', 'early', 'then']);
});

test('a start by a clock that was set back before it is read from its beginning', () => {
  const stored = [line(3_600_000, 'before'), line(0, 'after'), line(10, 'and on')];
  assert.deepEqual(readOn(stored, [1, 3], noon), ['before', 'after', 'and on']);
});

test('when the line of the mark is gone with its file, what is later is taken for new', () => {
  const mark = createMarker('one');
  const last = mark(line(0, 'gone'))!.mark;
  const on = createMarker('one', last);
  assert.equal(on(line(5_000, 'new'))?.text, 'new');
  assert.equal(on(line(5_000, 'new too'))?.text, 'new too');
});

test('of another container of the name everything is new', () => {
  const last = createMarker('one')(line(0, 'old'))!.mark;
  assert.equal(sinceOf(last, 'two', noon), undefined);
  assert.equal(createMarker('two', last)(line(0, 'old'))?.text, 'old');
});
