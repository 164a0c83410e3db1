import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDiskState } from './disk-state.ts';

test('a reported level is remembered for a revision, and not for all revisions of an owner', () => {
  const book = createDiskState();
  const learn = (revision: number) => {
    book.learn('shop', {
      kind: 'running',
      revision,
      hasServed: true,
      workloads: [],
      volumes: [],
      egress: { kind: 'none' },
    });
  };
  const isNews = (revision: number) => book.isUnreported('shop', { volume: 'data', revision });
  learn(1);
  assert.deepEqual([isNews(1), isNews(1)], [true, false]);
  learn(1);
  assert.equal(isNews(1), false);
  learn(2);
  assert.deepEqual([isNews(2), isNews(1), isNews(2)], [true, true, false]);
});
