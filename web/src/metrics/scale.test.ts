import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { areaOf, maxOf, pathOf, thinned, topOf } from './scale.ts';

const value = fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }));

test('the top of a chart is a round number above all values', () => {
  assert.deepEqual(
    [0, 0.3, 1, 3, 7, 42, 230].map((most) => topOf(most, 0)),
    [1, 0.5, 1, 5, 10, 50, 500],
  );
  assert.equal(topOf(300 * 2 ** 20, 0, 'bytes'), 512 * 2 ** 20);
  assert.equal(topOf(3, 100), 100);
  for (const unit of ['plain', 'bytes'] as const)
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e15, noNaN: true }), (most) => {
        const top = topOf(most, 0, unit);
        assert.ok(top >= most * (1 - 1e-9) && top <= most * 2.6, `${most} ${top}`);
      }),
    );
});

test('a line restarts after each gap, and stays within its box', () => {
  assert.equal(pathOf([1, 2, null, 4, null], 4), 'M0 0.75L0.25 0.5M0.75 0h0.002');
  assert.equal(areaOf([1, 2, null, 4], 4), 'M0 1L0 0.75L0.3333 0.5L0.3333 1ZM1 1L1 0L1 1Z');
  assert.equal(pathOf([], 1), '');
  fc.assert(
    fc.property(fc.array(value), (line) => {
      const numbers = [...pathOf(line, topOf(maxOf([line]), 0)).matchAll(/[ML](\S+?) ([\d.]+)/g)];
      assert.equal(numbers.length, line.filter((each) => each !== null).length);
      for (const [, x, y] of numbers) assert.ok(Number(x) >= 0 && Number(x) <= 1 && Number(y) >= 0 && Number(y) <= 1);
    }),
  );
});

test('a line of many steps is reduced to means of whole steps, within the range of its values', () => {
  assert.deepEqual(thinned([9, 1, 3, null, 5], 3), [9, 2, 5]);
  fc.assert(
    fc.property(fc.array(value), fc.integer({ min: 1, max: 50 }), (line, most) => {
      const fewer = thinned(line, most);
      assert.ok(fewer.length <= Math.max(most, 0) || line.length <= most);
      const top = maxOf([line]);
      assert.ok(fewer.every((each) => each === null || (each >= 0 && each <= top * (1 + 1e-9))));
      assert.equal(
        fewer.some((each) => each !== null),
        line.some((each) => each !== null),
      );
    }),
  );
});
