import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type BaseLayer, createBaseImages, imagesToEvict } from './base-images.ts';

const idOf = (digit: string) => `sha256:${digit.repeat(64)}`;
const layersOf = (sizeBytes: number): BaseLayer[] => [
  { diffId: idOf('d'), digest: idOf('d'), sizeBytes, compression: 'none' },
];

describe('base images', () => {
  let place: string;
  beforeEach(async () => {
    place = await mkdtemp(join(tmpdir(), 'berth-bases-'));
  });
  afterEach(() => rm(place, { recursive: true }));

  test('an image is unpacked once, also for two builds at a time and after a restart', async () => {
    let times = 0;
    const fill = async (folder: string) => {
      times += 1;
      await writeFile(join(folder, 'file'), 'content');
      return layersOf(1);
    };
    const images = createBaseImages(place, 10);
    const [one, other] = await Promise.all([images.provide(idOf('1'), fill), images.provide(idOf('1'), fill)]);
    assert.equal(one.folder, other.folder);
    const again = await createBaseImages(place, 10).provide(idOf('1'), fill);
    assert.deepEqual([again.layers, await readdir(again.folder), times], [layersOf(1), ['file'], 1]);
  });

  test('an image whose unpacking was interrupted is unpacked again, into an empty folder', async () => {
    const images = createBaseImages(place, 10);
    const interrupted = async (folder: string) => {
      await writeFile(join(folder, 'half'), '');
      throw new Error('interrupted');
    };
    await assert.rejects(images.provide(idOf('1'), interrupted), /interrupted/);
    const { folder } = await images.provide(idOf('1'), async () => layersOf(1));
    assert.deepEqual(await readdir(folder), []);
  });

  test('a new image evicts images that no build uses', async () => {
    const images = createBaseImages(place, 10);
    const first = await images.provide(idOf('1'), async () => layersOf(6));
    await images.provide(idOf('2'), async () => layersOf(6));
    assert.deepEqual((await readdir(place)).sort(), ['1'.repeat(64), '2'.repeat(64)]);
    images.release(first);
    await images.provide(idOf('3'), async () => layersOf(1));
    assert.deepEqual((await readdir(place)).sort(), ['2'.repeat(64), '3'.repeat(64)]);
  });

  test('the least recently used images leave until the others fit', () => {
    const stored = ['a', 'b', 'c'].map((name, usedAt) => ({ name, usedAt, bytes: 4 }));
    assert.deepEqual(imagesToEvict(stored, 12), []);
    assert.deepEqual(imagesToEvict(stored, 11), ['a']);
    assert.deepEqual(imagesToEvict(stored, 4), ['a', 'b']);
  });
});
