import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readContentRange, readRange, readRegistryPath } from './registry-paths.ts';

const digest = `sha256:${'a'.repeat(64)}`;

test('names with any number of slashes are separated from the rest of the path', () => {
  const part = fc.stringMatching(/^[a-z0-9]{1,8}([._-][a-z0-9]{1,8})?$/);
  const repository = fc.array(part, { minLength: 2, maxLength: 5 }).map((parts) => parts.join('/'));
  fc.assert(
    fc.property(repository, (name) => {
      assert.deepEqual(readRegistryPath(`/v2/${name}/blobs/${digest}`), { kind: 'blob', repository: name, digest });
      assert.deepEqual(readRegistryPath(`/v2/${name}/blobs/uploads/`), { kind: 'uploads', repository: name });
      assert.deepEqual(readRegistryPath(`/v2/${name}/blobs/uploads`), { kind: 'uploads', repository: name });
      assert.deepEqual(readRegistryPath(`/v2/${name}/blobs/uploads/1f`), {
        kind: 'upload',
        repository: name,
        id: '1f',
      });
      const manifest = { kind: 'manifest', repository: name, reference: 'latest' };
      assert.deepEqual(readRegistryPath(`/v2/${name}/manifests/latest`), manifest);
      assert.deepEqual(readRegistryPath(`/v2/${name}/tags/list`), { kind: 'tags', repository: name });
    }),
  );
});

test('words of the paths may be parts of names', () => {
  assert.deepEqual(readRegistryPath('/v2/s1/blobs/manifests/manifests/1'), {
    kind: 'manifest',
    repository: 's1/blobs/manifests',
    reference: '1',
  });
});

test('an invalid name is distinguished from an invalid path', () => {
  for (const name of ['app', 'S1/app', 's1/app%2fb', 's1/../x', 's1//x', '-a/b', 'a/b_'])
    assert.deepEqual(readRegistryPath(`/v2/${name}/tags/list`), { kind: 'bad-name', name });
  for (const path of ['/v2/_catalog', '/v2/a/b', '/v1/a/b/tags/list', '/v2/a/b/manifests/', '/'])
    assert.deepEqual(readRegistryPath(path), { kind: 'unknown' }, path);
  assert.deepEqual(readRegistryPath('/v2/'), { kind: 'base' });
  assert.deepEqual(readRegistryPath('/v2'), { kind: 'base' });
});

test('a range is within the blob, or missing', () => {
  assert.deepEqual(readRange('bytes=2-4', 10), { first: 2, last: 4 });
  assert.deepEqual(readRange('bytes=2-', 10), { first: 2, last: 9 });
  assert.deepEqual(readRange('bytes=-3', 10), { first: 7, last: 9 });
  assert.deepEqual(readRange('bytes=2-400', 10), { first: 2, last: 9 });
  assert.deepEqual(readRange('bytes=-30', 10), { first: 0, last: 9 });
  for (const range of [undefined, 'bytes=-', 'lines=1-2', 'bytes=1-2,4-5']) assert.equal(readRange(range, 10), 'whole');
  for (const range of ['bytes=10-', 'bytes=5-4', 'bytes=-0']) assert.equal(readRange(range, 10), 'unsatisfiable');
});

test('a piece says where it begins in either way that clients have', () => {
  for (const header of ['5-9', 'bytes 5-9/*', 'bytes=5-9', 'bytes 5-9/10'])
    assert.deepEqual(readContentRange(header), { first: 5, last: 9 }, header);
  for (const header of ['9-5', 'x', '', '-5', '5-']) assert.equal(readContentRange(header), 'bad', header);
  assert.equal(readContentRange(undefined), undefined);
});
