import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { linesOf } from './logs.ts';

const frame = (output: 1 | 2, text: string | Buffer) => {
  const body = Buffer.from(text as string);
  const header = Buffer.alloc(8);
  header[0] = output;
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
};

test('lines of both outputs come in the order they began', () => {
  const frames = [frame(1, 'one\ntw'), frame(2, 'error\n'), frame(1, 'o\r\n'), frame(1, '\n'), frame(2, 'no end')];
  assert.deepEqual(linesOf(Buffer.concat(frames)), ['one', 'two', 'error', '', 'no end']);
});

test('a letter cut in two by frames is one letter again', () => {
  const ship = Buffer.from('🚢\n');
  assert.deepEqual(linesOf(Buffer.concat([frame(1, ship.subarray(0, 2)), frame(1, ship.subarray(2))])), ['🚢']);
});

test('of too much output the end is kept', () => {
  const lines = linesOf(frame(1, `${'x'.repeat(300_000)}\nlast\n`));
  assert.equal(lines.at(-1), 'last');
  assert.ok(Buffer.byteLength(lines.join('\n')) <= 256 * 1024);
});

test('however one output is cut into frames, its lines are the same', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (pieces) => {
      const text = pieces.join('');
      const expected = text.split('\n').map((line) => line.replace(/\r$/, ''));
      if (expected.at(-1) === '' && !text.endsWith('\r')) expected.pop();
      assert.deepEqual(linesOf(Buffer.concat(pieces.map((piece) => frame(1, piece)))), expected);
    }),
  );
});

test('an answer that is cut off does no harm', () => {
  assert.deepEqual(linesOf(frame(1, 'one\ntwo\n').subarray(0, 12)), ['one', '']);
  assert.deepEqual(linesOf(Buffer.alloc(3)), []);
});
