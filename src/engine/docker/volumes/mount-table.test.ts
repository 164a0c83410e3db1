import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMounts } from './mount-table.ts';

test('the device of each mount point is known, the last of several there, with blanks in names', () => {
  const mounts = parseMounts(
    [
      '22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard',
      '47 22 7:2 / /srv/a\\040b rw,nosuid - ext4 /dev/loop1 rw',
      '48 22 7:3 / /srv/a\\040b rw,nosuid shared:7 master:2 - ext4 /dev/loop2 rw',
      '',
    ].join('\n'),
  );
  const isStopped = false;
  assert.deepEqual(Object.fromEntries(mounts), {
    '/': { device: '/dev/vda', isStopped },
    '/srv/a b': { device: '/dev/loop2', isStopped },
  });
});

test('a file system that the kernel has stopped writing to is known in the words of old and new kernels', () => {
  const stopped = (options: string, ofMount = 'rw') =>
    parseMounts(`47 22 7:2 / /srv ${ofMount} - ext4 /dev/loop1 ${options}`).get('/srv')?.isStopped;
  assert.equal(stopped('ro,discard'), true);
  assert.equal(stopped('rw,discard,noinit_itable,emergency_ro'), true);
  assert.equal(stopped('rw,errors=remount-ro'), false);
  assert.equal(stopped('rw', 'ro,nosuid'), false);
});
