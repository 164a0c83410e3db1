import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressMark, differing } from './agreed-address.ts';

const settings = (baseUrl: string, appsDomain = 'apps.test') => ({ baseUrl: new URL(baseUrl), appsDomain });

test('services have the same mark when they call applications by the same addresses, wherever they listen themselves', () => {
  const marks = [
    settings('https://berth.test'),
    settings('https://other.test'),
    settings('http://berth.test'),
    settings('https://berth.test:8443'),
    settings('https://berth.test', 'other.test'),
  ].map(addressMark);
  assert.equal(marks[0], marks[1]);
  assert.equal(new Set(marks).size, 4);
  assert.match(marks[0]!, /^[a-z0-9]+$/);
});

test('those with another mark differ, and those that say nothing do not', () => {
  assert.deepEqual(differing(['berth-one.abc', 'berth-two.xyz', 'berth-old'], 'abc'), ['berth-two.xyz']);
});
