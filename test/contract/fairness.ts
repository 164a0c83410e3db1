/** The facet `fairness`: it looks until it is told to stop, and says what it has seen. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { facetOf } from '../../src/engine/engine.ts';
import type { Stage } from './engine.ts';

export function fairnessContract({ contractor }: Stage): void {
  test('it is told how many give way, until nobody wants to know', async () => {
    const told: number[] = [];
    const stop = new AbortController();
    const { promise: isTold, resolve } = Promise.withResolvers<void>();
    const note = (count: number) => {
      told.push(count);
      resolve();
    };
    const log = { info() {}, error: (fields: object) => told.push(Number.NaN, JSON.stringify(fields).length) };
    const keeping = facetOf(contractor().engine, 'fairness').keep(
      { givingWay: note, goingFirst: note, log },
      stop.signal,
    );
    await isTold;
    stop.abort();
    await keeping;
    assert.ok(
      told.every((count) => Number.isInteger(count) && count >= 0),
      String(told),
    );
  });

  test('whoever is told to stop before it begins, ends', async () => {
    const silent = { givingWay() {}, goingFirst() {}, log: { info() {}, error() {} } };
    await facetOf(contractor().engine, 'fairness').keep(silent, AbortSignal.abort());
  });
}
