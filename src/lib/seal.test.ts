import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Keys, sealBy, sealWith } from './seal.ts';

test('a sealed text opens to itself with the same secret', () => {
  assert.equal(sealWith('k').open(sealWith('k').close('pässword')), 'pässword');
});

test('the same text is sealed differently each time', () => {
  const seal = sealWith('k');
  assert.notDeepEqual(seal.close('a'), seal.close('a'));
});

test('a sealed text does not open with another secret or after a change of any byte', () => {
  const sealed = sealWith('k').close('password');
  assert.throws(() => sealWith('other').open(sealed), /altered, or encrypted with an unknown key/);
  for (let at = 0; at < sealed.length; at++) {
    const altered = Buffer.from(sealed);
    altered[at]! ^= 1;
    assert.throws(() => sealWith('k').open(altered), `byte ${at}`);
  }
});

test('what is derived is the same for the same purpose, and another for another purpose or secret', () => {
  const { derive } = sealWith('k');
  assert.deepEqual(derive('a'), sealWith('k').derive('a'));
  assert.notDeepEqual(derive('a'), derive('b'));
  assert.notDeepEqual(derive('a'), sealWith('other').derive('a'));
});

test('a text resealed with several keys can be opened with the present ones and no other', () => {
  const words = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(words, fc.string(), fc.nat(), (words, text, pick) => {
      const keys = words as [string, ...string[]];
      const by = pick % keys.length;
      const sealed = sealWith(keys[by]!).close(text);
      assert.equal(sealWith(...keys).open(sealed), text);
      const [newest, ...older] = keys.filter((_, each) => each !== by) as [string, ...string[]];
      assert.throws(() => sealWith(newest, ...older).open(sealed));
    }),
  );
});

test('only the newest key seals, and its texts can be recognized by their header', () => {
  const seal = sealWith('new', 'old');
  assert.equal(sealWith('new').open(seal.close('a')), 'a');
  const starts = (sealed: Uint8Array) => Buffer.from(sealed).subarray(0, seal.header().length).equals(seal.header());
  assert.ok(starts(seal.close('a')));
  assert.ok(!starts(sealWith('old').close('a')));
});

test('a seal by keys that change uses those of the moment', () => {
  let keys: Keys = ['old'];
  const seal = sealBy(() => keys);
  const before = seal.close('a');
  keys = ['new', 'old'];
  assert.equal(seal.open(before), 'a');
  assert.equal(sealWith('new').open(seal.close('b')), 'b');
  assert.deepEqual(seal.derive('p'), sealWith('new').derive('p'));
});
