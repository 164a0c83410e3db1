import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodChange } from '../service/records.ts';
import { outcomeText, volumeText } from './changes.ts';

const web: PodChange = { name: 'web', change: 'replaced', keepsData: false, volumes: [], because: '', warnings: [] };
const volume = { title: 'volume data of pod db', sizeBytes: 1 };

test('a pod without volumes has no sentence about volumes', () => {
  for (const change of ['restarted', 'replaced', 'removed', 'added'] as const)
    assert.deepEqual(volumeText({ change, volumes: [] }), []);
});

test('a pod with volumes has a sentence for each changed volume', () => {
  const said = (change: PodChange['change'], ofVolume: 'kept' | 'new' | 'left') =>
    volumeText({ change, volumes: [{ ...volume, change: ofVolume }] });
  assert.deepEqual(said('restarted', 'kept'), ['volume data of pod db keeps its data']);
  assert.deepEqual(said('restarted', 'new'), ['volume data of pod db is new, and empty']);
  assert.deepEqual(said('added', 'new'), []);
  assert.deepEqual(said('removed', 'left'), [
    'volume data of pod db is no longer used; its data stays until the deployment ends',
  ]);
});

test('without a serving revision, the outcome does not say that one keeps serving', () => {
  const nothing = outcomeText({ pods: [web], interrupted: [] });
  assert.match(nothing, /It is not served yet/);
  assert.doesNotMatch(nothing, /keeps serving/);
});

test('after a failed update, the serving pods and those that must restart are shown', () => {
  assert.equal(
    outcomeText({ pods: [web], interrupted: [], servingRevision: 2 }),
    'The address stays. If the new revision does not become ready, revision 2 keeps serving.',
  );
  assert.equal(
    outcomeText({ pods: [{ ...web, change: 'restarted' }], interrupted: ['/'], servingRevision: 2 }),
    'The address stays. Nothing answers at / until the new revision is ready. If the new revision does not become ready, revision 2 keeps serving, and web starts again as before.',
  );
});
