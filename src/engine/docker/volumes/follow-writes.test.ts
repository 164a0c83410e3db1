import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExtents } from './copy-blocks.ts';
import { NotFollowed, parseWrites } from './follow-writes.ts';

test('each write is read with its device and its bytes, and of one that has not ended the rest is kept', () => {
  const told =
    'block_rq_complete: 7,9 WS () 20482 + 2048 none,0,0 [0]\nblock_rq_complete: 259,12 WFSM () 32834 + 2 [0]\nblock_rq_complete: 7,9 W () 1741';
  const { writes, rest } = parseWrites(told);
  assert.deepEqual(writes, [
    { device: '7:9', start: 20482 * 512, end: 22530 * 512 },
    { device: '259:12', start: 32834 * 512, end: 32836 * 512 },
  ]);
  for (const cut of [1, 5, 6, 9, 10])
    assert.deepEqual(parseWrites(parseWrites(`${rest}2 + 81 none,0,0 [0]\n`.slice(0, -cut)).rest).writes, [], `${cut}`);
  assert.deepEqual(parseWrites(`${rest}2 + 8 none,0,0 [0]\n`).writes, [
    { device: '7:9', start: 17412 * 512, end: 17420 * 512 },
  ]);
});

test('what is no hole in a file is read as filefrag tells it, and what it does not tell is not guessed', () => {
  const told = `Filesystem type is: ef53
File size of image is 33554432 (8192 blocks of 4096 bytes)
 ext:     logical_offset:        physical_offset: length:   expected: flags:
   0:        0..      67:   17744897..  17744964:     68:
   1:     4103..    5120:          0..         0:   1018:             unknown_loc,delalloc
   2:     8176..    8191:   17728432..  17728447:     16:   17762802: last,unwritten,eof
image: 3 extents found
`;
  assert.deepEqual(
    parseExtents(told).map(({ start, end }) => [start / 4096, end / 4096]),
    [
      [0, 68],
      [4103, 5121],
      [8176, 8192],
    ],
  );
  assert.deepEqual(parseExtents('Filesystem type is: ef53\nimage: 0 extents found\n'), []);
  for (const other of ['', told.replace('image: 3 extents found', ''), told.replace(/^ {3}1:.*\n/m, '')])
    assert.throws(() => parseExtents(other), NotFollowed);
});
