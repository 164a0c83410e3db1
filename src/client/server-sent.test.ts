import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMessageReader } from './follow.ts';

const stream =
  'id: 1\nevent: intent\ndata: {"a":1}\n\n: still here\n\nid: 2\nevent: pod\ndata: one\ndata: two\n\ndata:last\n\n';
const messages = [
  { id: '1', event: 'intent', data: '{"a":1}' },
  { id: '2', event: 'pod', data: 'one\ntwo' },
  { event: 'message', data: 'last' },
];

test('messages are read from a stream, however it is cut', () => {
  for (const size of [1, 2, 7, stream.length]) {
    const read = createMessageReader();
    const pieces = stream.match(new RegExp(`[^]{1,${size}}`, 'g'))!;
    assert.deepEqual(pieces.flatMap(read), messages, `in pieces of ${size}`);
  }
});

test('an incomplete message is not returned', () => {
  const read = createMessageReader();
  assert.deepEqual(read('data: half'), []);
  assert.deepEqual(read(' of it\n\n'), [{ event: 'message', data: 'half of it' }]);
});
