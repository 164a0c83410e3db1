import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBackupPlace } from '../backup/backup-place.ts';
import { passwordOf, placeOf } from './open.ts';

test('each deployment has a place and a password of its own, which are always the same', () => {
  const folder = readBackupPlace('/var/lib/berth/snapshots');
  assert.deepEqual(placeOf(folder, 'shop'), { kind: 'folder', location: '/var/lib/berth/snapshots/shop' });
  const bucket = readBackupPlace('s3:https://s3.example.com/berth/');
  assert.deepEqual(placeOf(bucket, 'shop'), { kind: 's3', location: 's3:https://s3.example.com/berth/shop' });
  assert.equal(passwordOf('one', 'shop'), passwordOf('one', 'shop'));
  const all = [passwordOf('one', 'shop'), passwordOf('one', 'blog'), passwordOf('other', 'shop')];
  assert.equal(new Set(all).size, 3);
  for (const each of all) assert.ok(each.length >= 43 && each !== 'one');
});
