import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalHost } from './canonical-host.ts';

test('case, port and one trailing dot do not make another host', () => {
  for (const host of ['shop.test', 'SHOP.Test', 'shop.test:8080', 'shop.test.', 'Shop.Test.:80', 'shop.test:'])
    assert.equal(normalHost(host), 'shop.test');
  assert.equal(normalHost('[::1]:8080'), '[::1]');
});

test('an ambiguous host is refused', () => {
  const none = [
    '',
    '.',
    '..',
    'a b',
    'a,b',
    'a@b',
    'a/b',
    'a..',
    '-a',
    'a\nb',
    'a#b',
    'ä.test',
    '::1',
    'a:80:80',
    'a\0',
  ];
  for (const host of none) assert.equal(normalHost(host), undefined, JSON.stringify(host));
  assert.equal(normalHost('\u212aelvin.test'), undefined, 'the Kelvin sign is not a k');
  assert.equal(normalHost(`${'a'.repeat(254)}`), undefined, 'longer than DNS allows');
});
