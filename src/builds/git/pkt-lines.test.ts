import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { flush, PacketError, packet, readPackets } from './pkt-lines.ts';

const read = async (pieces: Iterable<Uint8Array>) =>
  (await Array.fromAsync(readPackets(pieces))).map((line) => line?.toString());

test('packets are the same however they are cut into pieces', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme' })), fc.integer({ min: 1, max: 9 }), async (texts, size) => {
      const whole = Buffer.from(texts.map(packet).join('') + flush);
      const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
        whole.subarray(at * size, (at + 1) * size),
      );
      assert.deepEqual(await read(pieces), [...texts, undefined]);
    }),
  );
});

test('an unreadable, too small or too large length, and an incomplete packet, are refused', async () => {
  for (const text of ['<html>', '0001', '0003x', 'fff1', '000', '0009abc', '-001'])
    await assert.rejects(read([Buffer.from(text)]), PacketError, text);
});
