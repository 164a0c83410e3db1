import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sealWith } from './seal.ts';

test('a sealed text opens to itself with the same secret', () => {
  assert.equal(sealWith('k').open(sealWith('k').close('pässword')), 'pässword');
});

test('the same text is sealed differently each time', () => {
  const seal = sealWith('k');
  assert.notDeepEqual(seal.close('a'), seal.close('a'));
});

test('a sealed text does not open with another secret or after a change', () => {
  const sealed = sealWith('k').close('password');
  assert.throws(() => sealWith('other').open(sealed));
  sealed[sealed.length - 1]! ^= 1;
  assert.throws(() => sealWith('k').open(sealed));
});

test('what is derived is the same for the same purpose, and another for another purpose or secret', () => {
  const { derive } = sealWith('k');
  assert.deepEqual(derive('a'), sealWith('k').derive('a'));
  assert.notDeepEqual(derive('a'), derive('b'));
  assert.notDeepEqual(derive('a'), sealWith('other').derive('a'));
});
