import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latestOnly } from './latest-only.ts';

test('a burst of calls costs two runs, and each call waits for a run with its value or a newer one', async () => {
  const runs: number[] = [];
  const gates: (() => void)[] = [];
  const publish = latestOnly((value: number) => {
    runs.push(value);
    return new Promise<void>((resolve) => gates.push(resolve));
  });
  const settled: number[] = [];
  const calls = [1, 2, 3, 4].map((value) => publish(value).then(() => settled.push(value)));
  gates[0]?.();
  await calls[0];
  assert.deepEqual(settled, [1], 'the later ones still wait');
  gates[1]?.();
  await Promise.all(calls);
  assert.deepEqual(runs, [1, 4]);
});

test('a failed run only fails its own waiters', async () => {
  const publish = latestOnly(async (value: number) => {
    if (value === 1) throw new Error('no');
  });
  const first = publish(1);
  const second = publish(2);
  await assert.rejects(first, /no/);
  await second;
});
