import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestOf } from '../../lib/digest.ts';
import { findExcess, narrowLimits, printLimit } from './image-limits.ts';

const any = { compressedBytes: 10 * 2 ** 20, unpackedBytes: 20 * 2 ** 20 };
const config = {
  platform: { os: 'linux', architecture: 'amd64' },
  diffIds: [],
  volumes: 0,
  labels: 0,
  environmentBytes: 0,
};
const layer = { mediaType: '', digest: digestOf('layer'), sizeBytes: 5 * 2 ** 20 };

test('the limits of an owner narrow those of any image, and are named; higher ones have no effect', () => {
  const own = narrowLimits(any, { compressedBytes: 4 * 2 ** 20, unpackedBytes: 2 ** 40, by: 'with the plan "free"' });
  assert.equal(printLimit(own.compressed), '4 MiB, the maximum for an image with the plan "free"');
  assert.equal(printLimit(own.unpacked), '20 MiB, the maximum for an image');
  assert.match(findExcess([layer], config, own)?.because ?? '', /^has 5 MiB, more than 4 MiB, .* plan "free"$/);
  assert.equal(findExcess([layer], config, narrowLimits(any)), undefined);
  assert.match(
    findExcess([layer, layer, layer], config, narrowLimits(any))?.because ?? '',
    /^has 15 MiB, more than 10/,
  );
});
