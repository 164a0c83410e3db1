import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printAgo, printClock, printCountdown, printMoment, printSpan } from './time.ts';

const minutes = 60_000;

test('a countdown shows hours and minutes, and minutes and seconds in the last hour', () => {
  const spans = [-1, 0, 5_900, 59 * minutes + 59_000, 60 * minutes, 119.9 * minutes, 26 * 60 * minutes];
  assert.deepEqual(spans.map(printCountdown), ['0:00', '0:00', '0:05', '59:59', '1 h 00 min', '1 h 59 min', '1 d 2 h']);
});

test('a short span has tenths of a second, a long one minutes', () => {
  assert.deepEqual([-5, 1_234, 9_990, 12_400, 125_000].map(printSpan), [
    '0.0 s',
    '1.2 s',
    '10.0 s',
    '12 s',
    '2 min 05 s',
  ]);
});

test('a past time is shown in its largest unit', () => {
  const spans = [900, 5.5 * minutes, 3 * 60 * minutes, 50 * 60 * minutes];
  assert.deepEqual(spans.map(printAgo), ['just now', '5 min ago', '3 h ago', '2 d ago']);
});

test('a time of day is the reader’s own', () => {
  const at = new Date(2026, 0, 1, 9, 5, 7);
  assert.equal(printClock(at.toISOString()), '09:05:07');
});

test('a time of the same day is shown without a date, another one with it', () => {
  const noon = new Date(2026, 0, 15, 12, 0).getTime();
  assert.equal(printMoment(noon + 125 * minutes, noon), 'at 14:05');
  const tomorrow = noon + 24 * 60 * minutes;
  // In the reader's locale.
  const day = new Date(tomorrow).toLocaleDateString(undefined, { day: 'numeric' });
  assert.match(printMoment(tomorrow, noon), new RegExp(`${day}.* at 12:00$`));
});
