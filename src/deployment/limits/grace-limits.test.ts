import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beyondGrace, type RetainedDeployment } from './grace-limits.ts';

const kept = (id: string, fields: Partial<RetainedDeployment> = {}): RetainedDeployment => ({
  id,
  owner: 'ada',
  restorableUntil: Number(id.slice(1)),
  diskBytes: 10,
  ...fields,
});
const limits = { perOwner: 2, diskBytes: 100 };
const reported = (all: RetainedDeployment[], missing = 0, most = limits) =>
  beyondGrace(all, most, missing).map(({ id, because }) => `${id} ${because}`);

test('an owner keeps at most this many: those that ended last', () => {
  assert.deepEqual(reported([kept('d1'), kept('d2'), kept('d3'), kept('d0', { owner: 'bob' })]), ['d1 limit']);
});

test('excess is taken from the owner that holds the most: a large volume evicts no data of other owners', () => {
  const others = [kept('d1'), kept('d2', { owner: 'bob' })];
  assert.deepEqual(reported([...others, kept('d3', { owner: 'eve', diskBytes: 95 })]), ['d3 limit']);
  const halves = [kept('d3', { owner: 'eve', diskBytes: 45 }), kept('d4', { owner: 'eve', diskBytes: 45 })];
  assert.deepEqual(reported([...others, ...halves]), ['d3 limit'], 'the one of its owner whose time is over first');
});

test('who has taken the most of it has no more than others in the end', () => {
  const all = Array.from({ length: 12 }, (_, n) => kept(`d${n}`, { owner: n < 9 ? 'eve' : `other${n}` }));
  const gone = reported(all, 0, { perOwner: 100, diskBytes: 40 });
  assert.deepEqual(
    gone,
    ['d0', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7'].map((id) => `${id} limit`),
  );
});

test('what is short on the disk is taken from who holds the most, of equals from whose time is over first, and no more', () => {
  const all = [kept('d1', { diskBytes: 0 }), kept('d2', { owner: 'bob' }), kept('d3', { owner: 'eve' }), kept('d4')];
  assert.deepEqual(reported(all, 0), []);
  assert.deepEqual(reported(all, 1), ['d2 room']);
  assert.deepEqual(reported(all, 11), ['d2 room', 'd3 room']);
  const large = kept('d5', { owner: 'mallory', diskBytes: 11 });
  assert.deepEqual(reported([...all, large], 1), ['d5 room']);
});

test('what goes for another reason makes room too', () => {
  assert.deepEqual(reported([kept('d1'), kept('d2'), kept('d3')], 10), ['d1 limit']);
});
