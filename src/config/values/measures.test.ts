import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printByteRate, printCores, printCpu, printRate, printSize, printTime, printUptime } from './measures.ts';

test('measurements are printed with significant digits, and missing ones as a dash', () => {
  assert.deepEqual([0, 4.21, 125, 1_500].map(printCpu()), ['0 %', '0.42 %', '13 %', '150 %']);
  assert.deepEqual([0, 10, 500].map(printCpu(500)), ['0 %', '2 %', '100 %']);
  assert.deepEqual([500, 1_000, 2_500].map(printCores), ['0.5 cores', '1 core', '2.5 cores']);
  assert.deepEqual([2.94, 84, 1_540, 10_000].map(printTime), ['2.9 ms', '84 ms', '1.5 s', '> 10 s']);
  assert.deepEqual([printRate(0.25), printByteRate(2_048), printSize(3 * 2 ** 20)], ['0.25/s', '2 KiB/s', '3 MiB']);
  for (const print of [printCpu(), printSize, printByteRate, printRate, printTime]) assert.equal(print(null), '–');
});

test('durations are printed in at most two units', () => {
  const [minute, hour] = [60_000, 3_600_000];
  assert.deepEqual([-5, 45_000, 12 * minute, 3 * hour + 5 * minute, 98 * hour].map(printUptime), [
    '0 s',
    '45 s',
    '12 min',
    '3 h 5 min',
    '4 d 2 h',
  ]);
});
