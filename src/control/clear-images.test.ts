import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shopOnMemory } from '../../test/support/controlled-deployment.ts';
import { pod, specOf } from '../../test/support/deployments.ts';
import type { HostImage } from '../engine/engine.ts';
import { clearImages, imagesToRemove } from './clear-images.ts';

const gigabyte = 1e9;
const hour = 3_600_000;
const now = 100 * hour;
const image = (id: string, fields: Partial<HostImage> = {}): HostImage => ({
  id,
  tags: [`${id}:1`],
  digests: [`${id}@sha256:1`],
  brought: [],
  sizeBytes: gigabyte,
  isInUse: false,
  ...fields,
});
const pulledAgo = (hours: Record<string, number>) =>
  Object.entries(hours).map(([reference, ago]) => ({ reference, lastUsedAt: now - ago * hour }));

/** A disk of 100 GB with this much more than 85 GB in use. */
function chosen(excessGb: number, images: HostImage[], hours: Record<string, number>): string {
  const disk = { usedBytes: (85 + excessGb) * gigabyte, freeBytes: (15 - excessGb) * gigabyte };
  const removed = imagesToRemove({ disk, maxUsed: 0.85, images, pulled: pulledAgo(hours), now });
  return removed.map(({ id }) => id).join(' ');
}

test('unused images leave, least recently used first, until the disk is below the threshold', () => {
  const images = [image('a'), image('b'), image('c')];
  const hours = { 'a:1': 2, 'b:1': 9, 'c:1': 5 };
  assert.equal(chosen(-1, images, hours), '');
  assert.equal(chosen(0.5, images, hours), 'b');
  assert.equal(chosen(1.5, images, hours), 'b c');
  assert.equal(chosen(9, images, hours), 'b c a');
});

test('an image is as recently used as the most recent of its names', () => {
  const images = [image('a'), image('b')];
  assert.equal(chosen(0.5, images, { 'a:1': 9, 'a@sha256:1': 1, 'b:1': 5 }), 'b');
});

test('what is in use, was not pulled by us, has got another tag, or was used just now, stays', () => {
  const images = [
    image('used', { isInUse: true }),
    image('foreign'),
    image('renamed', { tags: ['renamed:1', 'mine:1'] }),
    image('fresh'),
    image('untagged', { tags: [] }),
    image('old'),
  ];
  const hours = { 'used:1': 9, 'renamed:1': 9, 'fresh:1': 0.1, 'untagged@sha256:1': 9, 'old:1': 9 };
  assert.equal(chosen(15, images, hours), 'untagged old');
});

test('the image of a deployment that is present counts as used now, and that of one that has gone does not', async () => {
  const spec = specOf(pod('web', { image: 'nginx:1', path: '/', servicePorts: [80] }));
  const images = { 'nginx:1': { isOnHost: false, digest: 'sha256:1' }, 'built:1': {} };
  const shop = await shopOnMemory(spec, images);
  const { control, world, clock } = shop;
  const clear = () => clearImages({ ...control, maxUsed: 0.1 });
  await shop.visit();
  world.capacity.disk = { usedBytes: 50 * gigabyte, freeBytes: 50 * gigabyte };

  clock.pass(hour / 2);
  world.containers.clear(); // The deployment still exists and needs its image, which was removed from outside.
  assert.deepEqual(await clear(), []);
  await shop.visit();
  assert.deepEqual(await clear(), [], 'in use');
  await shop.intend({ removedAt: clock.now });
  await shop.visit();
  assert.deepEqual(await clear(), [], 'used just now');
  clock.pass(hour);
  world.capacity.disk = { usedBytes: 1, freeBytes: 99 };
  assert.deepEqual(await clear(), [], 'room enough');
  world.capacity.disk = { usedBytes: 50 * gigabyte, freeBytes: 50 * gigabyte };
  assert.deepEqual(await clear(), ['docker.io/library/nginx:1']);
  assert.deepEqual(await clear(), []);
  assert.match(await control.metrics.registry.metrics(), /^berth_images_removed_total 1$/m);
});
