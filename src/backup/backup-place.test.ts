import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBackupPlace } from './backup-place.ts';

test('a place is a folder or a bucket', () => {
  assert.deepEqual(readBackupPlace('/var/backups/berth'), { kind: 'folder', location: '/var/backups/berth' });
  assert.equal(readBackupPlace('backups').location, `${process.cwd()}/backups`);
  assert.deepEqual(readBackupPlace('s3:https://s3.example.com/berth/one/'), {
    kind: 's3',
    location: 's3:https://s3.example.com/berth/one',
  });
  assert.equal(readBackupPlace('s3:http://127.0.0.1:9000/b').location, 's3:http://127.0.0.1:9000/b');
});

test('other places are refused, and so is a publicly readable key; the error does not repeat it', () => {
  for (const wrong of [
    '',
    'rclone:x',
    'sftp:me@host:/x',
    's3:bucket',
    's3:https://host/',
    's3:ftp://host/b',
    's3:https://h/b?x',
  ])
    assert.throws(() => readBackupPlace(wrong), /^Error: must be/, wrong);
  assert.throws(
    () => readBackupPlace('s3:https://me:hunter2@host/b'),
    (error: Error) => /AWS_SECRET_ACCESS_KEY/.test(error.message) && !/hunter2/.test(error.message),
  );
});
