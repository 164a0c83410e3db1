import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSeries, meanOf, retainedSteps, stepAt, stepMs } from './series.ts';

test('what is read is what was noted at a step within the last hour, and nothing anywhere else', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 * retainedSteps }), fc.nat(1_000)), { minLength: 1 });
  fc.assert(
    fc.property(steps, (noted) => {
      const series = createSeries(['load']);
      let expected = new Map<number, number>();
      let newest = -1;
      for (const [step, load] of noted) {
        // The clock was set back.
        if (step < newest) expected = new Map();
        newest = step;
        expected.set(step, load);
        series.add(step, { load });
      }
      const to = newest + 5;
      const from = newest - retainedSteps - 5;
      const reported = series.read('load', from, to);
      for (const [index, value] of reported.entries()) {
        const step = from + index;
        const isKept = step > newest - retainedSteps && step <= newest;
        assert.equal(value, isKept ? (expected.get(step) ?? null) : null, `step ${step}`);
      }
      assert.deepEqual(series.newest(), { step: newest, values: { load: expected.get(newest) } });
    }),
  );
});

test('an hour has its steps, and a mean leaves out what was not measured', () => {
  assert.equal(stepMs * retainedSteps, 3_600_000);
  assert.equal(stepAt(25_000), 2);
  assert.equal(meanOf([1, null, 3]), 2);
  assert.equal(meanOf([null]), null);
});
