import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLineReader } from './log-lines.ts';

const frame = (output: 1 | 2 | 3, text: string | Buffer, second = 0) => {
  const stamp = `2026-01-01T12:00:${String(second).padStart(2, '0')}.123456789Z `;
  const body = Buffer.concat([Buffer.from(stamp), Buffer.from(text as string)]);
  const header = Buffer.alloc(8);
  header[0] = output;
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
};

const read = (...chunks: Buffer[]) => {
  const reader = createLineReader();
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()];
};
const textOf = (...chunks: Buffer[]) => read(...chunks).map(({ text }) => text);

test('a line in several pieces has the time at which it began, to the nanosecond', () => {
  assert.deepEqual(read(frame(1, 'on', 1), frame(1, 'e\n', 1)), [
    {
      at: Date.parse('2026-01-01T12:00:01.123Z'),
      stamp: '2026-01-01T12:00:01.123456789Z',
      stream: 'stdout',
      text: 'one',
    },
  ]);
});

test('an unfinished last line of a program is not part of the first line of its next start', () => {
  const frames = [frame(1, 'dying', 1), frame(2, 'other', 1), frame(1, 'starting\n', 2), frame(2, 'well\n', 2)];
  assert.deepEqual(textOf(...frames), ['dying', 'starting', 'other', 'well']);
});

test('messages of the engine about its own files are not lines', () => {
  assert.deepEqual(textOf(frame(1, 'one\n'), frame(3, 'Error grabbing logs: /var/lib/docker\n')), ['one']);
});

test('lines of both streams are kept apart and returned with their stream, and an unfinished one comes last', () => {
  const frames = [frame(1, 'one\n'), frame(1, 'tw'), frame(2, 'error\n'), frame(1, 'o\r\n'), frame(2, 'no end')];
  assert.deepEqual(
    read(...frames).map(({ stream, text }) => `${stream} ${text}`),
    ['stdout one', 'stderr error', 'stdout two', 'stderr no end'],
  );
});

test('a letter cut in two by frames is one letter again', () => {
  const ship = Buffer.from('🚢\n');
  assert.deepEqual(textOf(frame(1, ship.subarray(0, 2)), frame(1, ship.subarray(2))), ['🚢']);
});

test('a line that never ends comes in pieces', () => {
  const lines = textOf(...Array.from({ length: 20 }, () => frame(1, 'x'.repeat(16 * 1024))));
  assert.ok(lines.length >= 4);
  assert.ok(lines.every((line) => line.length <= 64 * 1024));
});

test('however an answer is cut into pieces, its lines are the same', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.nat(60)), (texts, cuts) => {
      const lines = texts.map((text) => text.replace(/[\r\n]/g, ''));
      let rest = Buffer.concat(lines.map((line) => frame(1, `${line}\n`)));
      const pieces: Buffer[] = [];
      for (const cut of cuts) {
        pieces.push(rest.subarray(0, cut));
        rest = rest.subarray(cut);
      }
      assert.deepEqual(textOf(...pieces, rest), lines);
    }),
  );
});

test('an answer that is cut off does no harm', () => {
  assert.deepEqual(textOf(frame(1, 'one\n'), frame(1, 'two\n').subarray(0, 12)), ['one']);
  assert.deepEqual(textOf(Buffer.alloc(3)), []);
});
