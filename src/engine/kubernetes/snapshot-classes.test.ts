import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FoundSnapshotClass } from './objects.ts';
import { chooseSnapshotClass } from './volume-snapshots.ts';

const isDefault = { 'snapshot.storage.kubernetes.io/is-default-class': 'true' };

function found(name: string, more: { driver?: string; deletionPolicy?: string; annotations?: object } = {}) {
  const { driver = 'disks', deletionPolicy = 'Delete', annotations = {} } = more;
  const metadata = { name, uid: name, resourceVersion: '1', creationTimestamp: '', annotations };
  return { metadata, driver, deletionPolicy } as FoundSnapshotClass;
}

for (const [title, classes, wanted, chosen] of [
  ['the only one of the driver', [found('a', { driver: 'files' }), found('b')], undefined, { name: 'b' }],
  ['of several the default one', [found('a'), found('b', { annotations: isDefault })], undefined, { name: 'b' }],
  ['of several the one that is wanted', [found('a'), found('b', { annotations: isDefault })], 'a', { name: 'a' }],
  [
    'none of several, of which none is the default',
    [found('b'), found('a')],
    undefined,
    { because: 'there are several of the driver disks, a, b: snapshots=CLASS of BERTH_STORAGE_CLASS names one' },
  ],
  [
    'no class on a cluster without one',
    [found('a', { driver: 'files' })],
    undefined,
    { because: 'no VolumeSnapshotClass is of the driver disks' },
  ],
  [
    'none other than the one that is wanted',
    [found('a')],
    'b',
    { because: 'the cluster has no VolumeSnapshotClass b' },
  ],
  [
    'not the one that is wanted, of another driver',
    [found('a', { driver: 'files' }), found('b')],
    'a',
    { because: 'no VolumeSnapshotClass a is of the driver disks' },
  ],
  [
    'no class that retains deleted snapshots',
    [found('a', { deletionPolicy: 'Retain' })],
    undefined,
    { because: 'the deletionPolicy of a is not Delete' },
  ],
  [
    'the one that leaves nothing there, although another is the default',
    [found('a', { deletionPolicy: 'Retain', annotations: isDefault }), found('b')],
    undefined,
    { name: 'b' },
  ],
] as const) {
  test(`the class for volumes is ${title}`, () => {
    assert.deepEqual(chooseSnapshotClass('disks', classes, wanted), chosen);
  });
}
