import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exceedsBounds, parseBoundedJson } from './bounded-json.ts';

const bounds = { depth: 4, tokens: 20 };

test('depth and number of values are limited, with any contents of strings', () => {
  assert.equal(exceedsBounds('[[[[1]]]]', bounds), false);
  assert.equal(exceedsBounds('[[[[[1]]]]]', bounds), true);
  assert.equal(exceedsBounds(JSON.stringify(Array(20).fill(1)), bounds), false);
  assert.equal(exceedsBounds(JSON.stringify(Array(21).fill(1)), bounds), true);
  assert.equal(exceedsBounds(JSON.stringify(['[{,:'.repeat(100), '\\"[[[[['.repeat(100)]), bounds), false);
  assert.equal(exceedsBounds('['.repeat(4 * 2 ** 20), bounds), true);
  assert.equal(exceedsBounds('"never ends [[[[[[', bounds), false);
});

test('what is within the bounds is what JSON.parse says, and the rest is a SyntaxError', () => {
  const wide = { depth: 1_000, tokens: 1_000_000 };
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.deepEqual(parseBoundedJson(Buffer.from(text), wide), JSON.parse(text));
    }),
  );
  assert.throws(() => parseBoundedJson(Buffer.from('[[[[[1]]]]]'), bounds), SyntaxError);
  assert.throws(() => parseBoundedJson(Buffer.from([0x22, 0xff, 0x22]), bounds), TypeError);
});
