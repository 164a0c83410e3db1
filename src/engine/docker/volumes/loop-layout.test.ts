import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loopPlace, mountedVolume, shapeOf } from './loop-layout.ts';

test('everything of a volume is below one folder, and no name leads out of it', () => {
  const { options: _, ...place } = loopPlace('/data/volumes', 'abc', 'shared.media');
  assert.ok(Object.values(place).every((path) => path.startsWith('/data/volumes/abc/shared.media')));
  for (const name of ['..', '.', '', 'a/b', '../x', '/etc', 'a\0b', '-rf', 'a b']) {
    assert.throws(() => loopPlace('/data/volumes', 'abc', name), /not the name/, name);
    assert.throws(() => loopPlace('/data/volumes', name, 'data'), /not the name/, name);
  }
});

test('a file system is a little larger than its volume, and grows with it', () => {
  const sizes = [8, 16, 100, 511, 512, 1024, 5000, 100_000].map((size) => size * 2 ** 20);
  const images = sizes.map((size) => shapeOf(size).imageBytes);
  for (const [index, image] of images.entries()) {
    assert.ok(image > sizes[index]! && image < sizes[index]! * 1.25 + 8 * 2 ** 20, `${sizes[index]} ${image}`);
    assert.ok(index === 0 || sizes[index] === 512 * 2 ** 20 || image > images[index - 1]!);
  }
  assert.deepEqual(shapeOf(1), shapeOf(8 * 2 ** 20));
});

test('only the mount table decides which volumes are mounted, and other mounts below their folder do not count', () => {
  const root = '/data/volumes';
  const volume = { deploymentId: 'abc', volume: 'shared.media' };
  assert.deepEqual(mountedVolume(root, loopPlace(root, 'abc', 'shared.media').mount), volume);
  for (const other of ['', '/abc', '/abc/x/mount/data', '/abc/x/image', '/../x/mount', '2/abc/x/mount'])
    assert.equal(mountedVolume(root, `${root}${other}`), undefined, other);
});
