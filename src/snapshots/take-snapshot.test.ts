import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transferTimeoutMs } from '../lib/transfer-timeout.ts';
import { SnapshotFault } from './snapshot-parts.ts';
import { refuseHoles } from './take-snapshot.ts';

const mebibyte = 2 ** 20;
const volumes = [
  { volume: 'data', sizeBytes: 10 * mebibyte },
  { volume: 'log', sizeBytes: 6 * mebibyte },
];

test('only files that are more than twice as large as their volumes are refused for good', () => {
  for (const bytes of [0, 16 * mebibyte, 32 * mebibyte]) refuseHoles(bytes, volumes, 'asked');
  for (const bytes of [32 * mebibyte + 1, 15 * 2 ** 40, Number.MAX_VALUE])
    assert.throws(
      () => refuseHoles(bytes, volumes, 'asked'),
      (error) => error instanceof SnapshotFault && error.isFinal && /holes/.test(error.message),
    );
  assert.throws(() => refuseHoles(2 ** 40, volumes, 'before-restore'), /without a snapshot before/);
});

test('data has ten minutes to be moved in, and a second more for each 5 MB', () => {
  assert.equal(transferTimeoutMs(0), 600_000);
  assert.equal(transferTimeoutMs(50_000_000), 610_000);
});
