import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { choiceIn, withChoice } from './shown-choice.ts';

test('the address of a choice leads back to it', () => {
  const choice = fc.record({
    pod: fc.string(),
    revision: fc.nat(),
    search: fc.string({ unit: 'grapheme' }),
    stream: fc.constantFrom('', 'stdout', 'stderr'),
  });
  fc.assert(fc.property(choice, (chosen) => assert.deepEqual(choiceIn(withChoice(chosen)), { ...chosen })));
});

test('the default choice has an empty query, and an unknown query selects all lines', () => {
  assert.equal(withChoice({ pod: '', revision: 0, stream: '', search: '' }), '');
  assert.deepEqual(choiceIn('?revision=-1&pod=&stream=both'), { pod: '', revision: 0, stream: '', search: '' });
});
