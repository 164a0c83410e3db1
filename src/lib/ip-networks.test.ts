import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { contains, overlap, without } from './ip-networks.ts';

const pool = '10.200.0.0/13';

test('networks that share an address overlap, however each is written', () => {
  const rows: [network: string, overlaps: boolean][] = [
    ['10.0.0.0/8', true],
    ['10.203.4.5', true],
    ['10.207.255.255/32', true],
    ['10.208.0.0', false],
    ['10.199.255.255', false],
    ['::ffff:10.200.0.1', true],
    ['::ffff:10.0.0.0/104', true],
    ['::/8', true],
    ['fd00::/8', false],
    ['192.168.0.0/16', false],
  ];
  for (const [network, overlaps] of rows) {
    assert.equal(overlap(network, pool), overlaps, network);
    assert.equal(overlap(pool, network), overlaps, network);
  }
});

test('the rest of a network without another one is named in few words', () => {
  assert.deepEqual(without('10.0.0.0/8', pool), [
    '10.0.0.0/9',
    '10.128.0.0/10',
    '10.192.0.0/13',
    '10.208.0.0/12',
    '10.224.0.0/11',
  ]);
  assert.deepEqual(without('10.201.0.0/16', pool), []);
  assert.deepEqual(without('192.168.0.7', pool), ['192.168.0.7']);
});

test('an address is in a network, in another or in the rest', () => {
  const address = fc.ipV4();
  const network = fc.tuple(fc.ipV4(), fc.integer({ min: 1, max: 32 })).map(([start, bits]) => `${start}/${bits}`);
  fc.assert(
    fc.property(network, network, address, (whole, taken, one) => {
      const left = without(whole, taken).some((part) => contains(part, one));
      assert.equal(left, contains(whole, one) && !contains(taken, one));
    }),
  );
});
