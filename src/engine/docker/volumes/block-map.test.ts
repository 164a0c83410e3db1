import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { blockBytes, bytesOf, createBlockMap } from './block-map.ts';

const blocks = (start: number, end: number) => ({ start: start * blockBytes, end: end * blockBytes });

test('every block of which a part was written is taken once, in order, and what adjoins is one range', () => {
  const map = createBlockMap(100 * blockBytes);
  map.add(blocks(40, 42));
  map.add({ start: 3 * blockBytes + 512, end: 3 * blockBytes + 1024 });
  map.add(blocks(41, 57));
  map.add({ start: 4 * blockBytes - 512, end: 4 * blockBytes + 512 });
  map.add(blocks(99, 100));
  assert.deepEqual([...map.take()], [blocks(3, 5), blocks(40, 57), blocks(99, 100)]);
  assert.deepEqual([...map.take()], []);
  map.add(blocks(7, 9));
  assert.deepEqual([...map.take()], [blocks(7, 9)]);
  assert.equal(bytesOf([blocks(3, 5), blocks(40, 57)]), 19 * blockBytes);
});

test('the last block of a file may be a part of one, and nothing is beyond it', () => {
  const bytes = 9 * blockBytes + 512;
  const map = createBlockMap(bytes);
  map.add({ start: 9 * blockBytes, end: bytes });
  assert.deepEqual([...map.take()], [{ start: 9 * blockBytes, end: bytes }]);
  assert.throws(() => map.add({ start: 9 * blockBytes, end: bytes + 512 }), RangeError);
});

test('what is taken needs no more memory where much of a large file lies apart', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heldBytes = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const count = 2 ** 20;
  const map = createBlockMap(count * blockBytes);
  for (let block = 0; block < count; block += 2) map.add(blocks(block, block + 1));
  const before = heldBytes();
  const taken = map.take();
  assert.equal(bytesOf(taken), (count / 2) * blockBytes);
  assert.ok(heldBytes() - before < 10e6);
  assert.equal(bytesOf(taken), (count / 2) * blockBytes);
});

test('what is taken is what was added, whatever that was', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 50; round++) {
    const count = 1 + random(300);
    const map = createBlockMap(count * blockBytes);
    const wanted = new Set<number>();
    for (let each = random(20); each > 0; each--) {
      const first = random(count);
      const end = first + 1 + random(Math.min(40, count - first));
      map.add(blocks(first, end));
      for (let block = first; block < end; block++) wanted.add(block);
    }
    const taken = [...map.take()];
    const listed = taken.flatMap(({ start, end }) =>
      Array.from({ length: (end - start) / blockBytes }, (_, index) => start / blockBytes + index),
    );
    assert.deepEqual(
      listed,
      [...wanted].sort((a, b) => a - b),
    );
    assert.ok(taken.every(({ start }, index) => index === 0 || start > taken[index - 1]!.end));
  }
});
