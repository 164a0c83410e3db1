import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programPath } from './program-path.ts';

test('programs of administrators are found by a user whose PATH leaves them out, after what is on it', () => {
  const folders = programPath('/home/me/bin:/usr/bin').split(':');
  assert.deepEqual(folders.slice(0, 2), ['/home/me/bin', '/usr/bin']);
  for (const folder of ['/usr/sbin', '/sbin', '/usr/local/sbin']) assert.ok(folders.includes(folder), folder);
  assert.equal(new Set(folders).size, folders.length);
});

test('an empty PATH does not mean the current folder', () => {
  for (const path of ['', undefined, ':/usr/bin']) assert.ok(!programPath(path).split(':').includes(''), String(path));
});
