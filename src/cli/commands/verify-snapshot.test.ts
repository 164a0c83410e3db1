import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosenOf } from './verify-snapshot.ts';

type Snapshot = Parameters<typeof chosenOf>[0]['snapshots'][number];

function snapshotOf(id: string, fields: Partial<Snapshot> = {}): Snapshot {
  const at = '2026-01-01T12:00:00Z';
  return { id, state: 'taken', reason: 'asked', revision: 1, createdAt: at, volumes: [], dumps: [], ...fields };
}

test('the newest snapshot that can be started separately is chosen; one whose databases are loaded in place cannot', () => {
  const dumped = snapshotOf('dumped', { dumps: [{ pod: 'db', kind: 'postgres', volumes: ['db-data'] }] });
  const saved = snapshotOf('saved', { dumps: [{ pod: 'cache', kind: 'redis', volumes: [] }] });
  const snapshots = [snapshotOf('asked', { state: 'asked' }), dumped, saved, snapshotOf('files')];
  assert.equal(chosenOf({ snapshots }, undefined), saved);
  assert.match(chosenOf({ snapshots: [dumped] }, undefined) as string, /dumps.*only be loaded in place/);
  assert.match(chosenOf({ snapshots }, 'dumped') as string, /dumps.*only be loaded in place/);
  assert.match(chosenOf({ snapshots }, 'asked') as string, /no snapshot asked/);
  assert.match(chosenOf({ snapshots: [] }, undefined) as string, /"berth snapshot" takes one/);
});
