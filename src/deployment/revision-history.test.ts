import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pod, specOf } from '../../test/support/deployments.ts';
import { changesBetween, isFirstOutcome, revisionBefore, stateOfRevision } from './revision-history.ts';

test('the changes of an update are listed by the names of its pods', () => {
  const before = { spec: specOf(pod('web'), pod('db'), pod('cache')) };
  const after = { spec: specOf(pod('web', { vars: { MODE: 'new' } }), pod('db'), pod('worker')) };
  assert.deepEqual(changesBetween(before, after), { added: ['worker'], changed: ['web'], removed: ['cache'] });
  assert.deepEqual(changesBetween(before, before), { added: [], changed: [], removed: [] });
});

test('a pod whose tag means another image now has changed, unless one of the two is unknown', () => {
  const spec = specOf(pod('web', { image: './web:1' }), pod('db'));
  const of = (digest: string) => ({ spec, images: { './web:1': `pushed.invalid/s1/web:1@${digest}` } });
  assert.deepEqual(changesBetween(of('sha256:a'), of('sha256:b')).changed, ['web']);
  assert.deepEqual(changesBetween(of('sha256:a'), of('sha256:a')).changed, []);
  assert.deepEqual(changesBetween({ spec }, of('sha256:b')).changed, []);
});

test('a revision without an outcome is on its way while it is the last one, and superseded after it', () => {
  assert.equal(stateOfRevision({ number: 3, outcome: null }, 3), 'deploying');
  assert.equal(stateOfRevision({ number: 2, outcome: null }, 3), 'superseded');
  assert.equal(stateOfRevision({ number: 2, outcome: 'failed' }, 3), 'failed');
});

test('a revision that has failed and recovers has run; one that has run and fails later has run too', () => {
  assert.deepEqual(
    [isFirstOutcome(null, 'failed'), isFirstOutcome('failed', 'running'), isFirstOutcome('running', 'failed')],
    [true, true, false],
  );
});

test('without a number one goes back to the last revision before the current one that has run', () => {
  const kept = [
    { number: 5, outcome: 'running' },
    { number: 4, outcome: 'failed' },
    { number: 3, outcome: 'running' },
    { number: 2, outcome: 'running' },
  ] as const;
  assert.equal(revisionBefore(kept, 5), 3);
  assert.equal(revisionBefore(kept, 4), 3);
  assert.equal(revisionBefore(kept, 2), undefined);
});
