import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodChange } from '../service/records.ts';
import { outcomeWords, volumeWords } from './changes.ts';

const web: PodChange = { name: 'web', change: 'replaced', keepsData: false, volumes: [], because: '', warnings: [] };
const volume = { title: 'volume data of pod db', sizeBytes: 1 };

test('a pod without volumes has nothing said about volumes, however it changes', () => {
  for (const change of ['restarted', 'replaced', 'removed', 'added'] as const)
    assert.deepEqual(volumeWords({ change, volumes: [] }), []);
});

test('of a pod with volumes it is said what becomes of each', () => {
  const said = (change: PodChange['change'], ofVolume: 'kept' | 'new' | 'left') =>
    volumeWords({ change, volumes: [{ ...volume, change: ofVolume }] });
  assert.deepEqual(said('restarted', 'kept'), ['volume data of pod db keeps its data']);
  assert.deepEqual(said('restarted', 'new'), ['volume data of pod db is new, and empty']);
  assert.deepEqual(said('added', 'new'), []);
  assert.deepEqual(said('removed', 'left'), [
    'volume data of pod db is no longer used; its data stays until the deployment ends',
  ]);
});

test('where nothing serves, nothing is said to keep serving', () => {
  const nothing = outcomeWords({ pods: [web], interrupted: [] });
  assert.match(nothing, /Nothing serves there yet/);
  assert.doesNotMatch(nothing, /keeps serving/);
});

test('what keeps serving when an update fails is told with what has to start again for that', () => {
  assert.equal(
    outcomeWords({ pods: [web], interrupted: [], servingRevision: 2 }),
    'The address stays. If the new revision does not become ready, revision 2 keeps serving.',
  );
  assert.equal(
    outcomeWords({ pods: [{ ...web, change: 'restarted' }], interrupted: ['/'], servingRevision: 2 }),
    'The address stays. Nothing answers at / until the new revision is ready. If the new revision does not become ready, revision 2 keeps serving, and web starts again as before.',
  );
});
