import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyStore } from '../../test/support/empty-store.ts';
import type { HostImage } from '../engine/engine.ts';
import { pulledImages, recordPull } from '../store/pulled-images.ts';
import { clearPushedCopies } from './clear-images.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const named = (name: string) => `pushed.invalid/s0123456789abcdef/${name}`;

test('a copy is removed when its image can no longer be named, and other names and concurrent work stay', async () => {
  const db = await emptyStore();
  const images: HostImage[] = ['there', 'gone', 'running', 'strangers'].map((id) => ({
    id,
    tags: [`mine/${id}:1`],
    digests: [],
    sizeBytes: 1,
    isInUse: id === 'running',
    brought: [`${named(id)}@${digest}`, `docker.io/library/${id}:1`],
  }));
  const removed: HostImage[] = [];
  const store = {
    list: async () => images,
    // Simulates an engine that refuses to remove the last name of a running image.
    remove: async (image: HostImage) => !image.isInUse && removed.push(image) > 0,
    pull: () => assert.fail('nothing is pulled'),
    export: () => assert.fail('nothing is exported'),
  };
  // Another installation pulled the last one.
  const ours = ['there:1', 'gone:1', 'running', 'lost'].map((name) => `${named(name)}@${digest}`);
  await recordPull(db, [...ours, 'docker.io/library/nginx:1'], 0);
  const isThere = async ({ repository }: { repository: string }) => repository.endsWith('/there');

  const cleared = await clearPushedCopies({ engine: { images: store }, db }, isThere);
  assert.deepEqual(cleared.toSorted(), [`${named('gone:1')}@${digest}`, `${named('lost')}@${digest}`]);
  assert.deepEqual(removed, [{ ...images[1]!, tags: [], brought: [`${named('gone')}@${digest}`] }]);
  const left = (await pulledImages(db)).map(({ reference }) => reference).toSorted();
  assert.deepEqual(left, [
    'docker.io/library/nginx:1',
    `${named('running')}@${digest}`,
    `${named('there:1')}@${digest}`,
  ]);
  await db.destroy();
});
