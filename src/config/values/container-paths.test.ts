import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { normalisePath, splitPath } from './container-paths.ts';

const segment = fc.constantFrom('', '.', '..', '...', 'a', '.b', 'c.', 'd e');
const absolutePath = fc.array(segment, { maxLength: 8 }).map((parts) => `/${parts.join('/')}`);

test('an absolute path is normalised as POSIX does', () => {
  fc.assert(fc.property(absolutePath, (path) => assert.equal(normalisePath(path), posix.normalize(path))));
});

test('the path of a file is split into its directory and its name', () => {
  for (const path of ['/key', '/etc/key', '/etc/app/key.pem']) {
    assert.deepEqual(splitPath(path), { directory: posix.dirname(path), fileName: posix.basename(path) });
  }
});
