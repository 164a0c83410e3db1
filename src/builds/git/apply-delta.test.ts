import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyDelta, LargeObjectError, PackError } from './apply-delta.ts';

const base = Buffer.from('hello world');
const deltaOf = (...bytes: number[]) => Buffer.from(bytes);

test('a delta copies from its base and inserts bytes of its own', () => {
  // From a base of 11 bytes to 8: copy 6 bytes from 0, then insert "me".
  const delta = deltaOf(11, 8, 0b1001_0001, 0, 6, 2, 0x6d, 0x65);
  assert.equal(applyDelta(base, delta, 100).toString(), 'hello me');
});

test('a delta with another base, a range outside the base, or a wrong size is refused', () => {
  for (const delta of [
    deltaOf(),
    deltaOf(12, 1, 1, 65),
    deltaOf(11, 2, 1, 65),
    deltaOf(11, 1, 0),
    deltaOf(11, 4, 0b1001_0001, 9, 4),
    deltaOf(11, 4, 4, 65),
    deltaOf(11, 6, 0b1001_0001, 0),
    Buffer.alloc(30, 0xff),
  ])
    assert.throws(() => applyDelta(base, delta, 100), PackError);
  assert.throws(() => applyDelta(base, deltaOf(11, 101), 100), LargeObjectError);
});

test('no delta makes anything but a result of its size or a PackError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(200), (bytes, size) => {
      const delta = Buffer.from([base.length, size % 128, ...bytes]);
      try {
        assert.equal(applyDelta(base, delta, 150).length, size % 128);
      } catch (error) {
        assert.ok(error instanceof PackError, String(error));
      }
    }),
  );
});
