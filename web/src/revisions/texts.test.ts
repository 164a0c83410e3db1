import assert from 'node:assert/strict';
import { test } from 'node:test';
import { badgeOf, changesOf, outcomeOf, shownIn, usualPair, withShown } from './texts.ts';

const revision = (number: number, is: { current?: boolean; serving?: boolean } = {}) => ({
  number,
  isCurrent: is.current ?? false,
  isServing: is.serving ?? false,
});

test('after a failed update, the failed revision is compared with the serving one at any distance', () => {
  const revisions = [revision(4, { current: true }), revision(3), revision(2, { serving: true }), revision(1)];
  assert.deepEqual(usualPair(revisions), { from: 2, to: 4 });
});

test('a serving revision is compared with its predecessor, and the first revision with nothing', () => {
  const current = { current: true, serving: true };
  assert.deepEqual(usualPair([revision(3, current), revision(1)]), { from: 1, to: 3 });
  assert.equal(usualPair([revision(1, current)]), undefined);
  assert.equal(usualPair([]), undefined);
});

test('the result of a revision is shown in words', () => {
  const reported = (state: 'running' | 'failed' | 'deploying' | 'superseded', isServing = false) => {
    const revision = { state, isServing, durationMs: 2_300 };
    return `${badgeOf(revision).word}: ${outcomeOf(revision)}`;
  };
  assert.equal(reported('running', true), 'live: ready after 2.3 s');
  assert.equal(reported('running'), 'replaced: ready after 2.3 s');
  assert.equal(reported('failed'), 'failed: failed after 2.3 s');
  assert.equal(reported('deploying'), 'deploying: undefined');
  assert.equal(outcomeOf({ state: 'failed', isServing: false }), 'failed');
});

test('a revision lists its changed pods, or the revision that it repeats', () => {
  const changes = { added: ['redis'], changed: ['web', 'worker'], removed: [] };
  assert.equal(changesOf({ number: 2, changes }), 'Changes web and worker, adds redis');
  assert.equal(
    changesOf({ number: 3, changes, repeats: 1 }),
    'Changes web and worker, adds redis, has the same text as revision 1',
  );
  assert.equal(changesOf({ number: 4, changes: { added: [], changed: [], removed: [] } }), 'Changes no pod');
  assert.equal(changesOf({ number: 5 }), undefined);
  assert.equal(changesOf({ number: 1 }), 'The first one');
});

test('a link leads to the same comparison or rollback, and an invalid link to neither', () => {
  for (const shown of [{}, { pair: { from: 1, to: 3 } }, { back: 2 }]) {
    assert.deepEqual(shownIn(withShown(shown)), shown);
  }
  for (const query of ['?from=1', '?from=-1&to=2', '?back=x', '?from=1e99&to=2']) assert.deepEqual(shownIn(query), {});
});
