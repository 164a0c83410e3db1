import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDu } from './disk-walk.ts';

test('the output of du is read for every directory name', () => {
  const output = '4096\t/a\tb\n\x0012\t/c\0du: broken\0';
  assert.deepEqual(
    [...parseDu(output)],
    [
      ['/a\tb\n', 4096],
      ['/c', 12],
    ],
  );
});
