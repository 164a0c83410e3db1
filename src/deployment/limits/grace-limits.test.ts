import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beyondGrace, type Kept } from './grace-limits.ts';

const kept = (id: string, fields: Partial<Kept> = {}): Kept => ({
  ...{ id, owner: 'ada', restorableUntil: Number(id.slice(1)), diskBytes: 10 },
  ...fields,
});
const limits = { perOwner: 2, diskBytes: 100 };
const told = (all: Kept[], missing = 0, most = limits) =>
  beyondGrace(all, most, missing).map(({ id, because }) => `${id} ${because}`);

test('an owner keeps so many at the most: those that ended last', () => {
  assert.deepEqual(told([kept('d1'), kept('d2'), kept('d3'), kept('d0', { owner: 'bob' })]), ['d1 limit']);
});

test('all together hold so much at the most', () => {
  const all = [kept('d1'), kept('d2', { owner: 'bob' }), kept('d3', { owner: 'eve', diskBytes: 95 })];
  assert.deepEqual(told(all), ['d2 limit', 'd1 limit']);
});

test('what is short on the disk is taken from those whose time is over first, and from no more of them', () => {
  const all = [kept('d1', { diskBytes: 0 }), kept('d2', { owner: 'bob' }), kept('d3', { owner: 'eve' }), kept('d4')];
  assert.deepEqual(told(all, 0), []);
  assert.deepEqual(told(all, 1), ['d2 room']);
  assert.deepEqual(told(all, 11), ['d2 room', 'd3 room']);
});

test('what goes for another reason makes room too', () => {
  assert.deepEqual(told([kept('d1'), kept('d2'), kept('d3')], 10), ['d1 limit']);
});
