import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { builderAddress, fromBuilder, lowestFreeAddress, lowestFreeSubnet } from './subnets.ts';

const pool = '10.200.0.0/13';

test('the first network gets the first subnet, the next one the next', () => {
  assert.equal(lowestFreeSubnet(pool, []), '10.200.0.0/25');
  assert.equal(lowestFreeSubnet(pool, ['10.200.0.0/25']), '10.200.0.128/25');
  assert.equal(lowestFreeSubnet(pool, ['10.200.0.128/25', '10.200.0.0/25']), '10.200.1.0/25');
});

test('a gap is used again', () => {
  assert.equal(lowestFreeSubnet(pool, ['10.200.0.0/25', '10.200.1.0/25']), '10.200.0.128/25');
});

test('foreign networks of any size are stepped over', () => {
  assert.equal(lowestFreeSubnet(pool, ['10.200.0.64/28']), '10.200.0.128/25');
  assert.equal(lowestFreeSubnet(pool, ['10.200.0.0/16', '10.201.0.0/24']), '10.201.1.0/25');
  assert.equal(lowestFreeSubnet(pool, ['172.17.0.0/16', 'fd00::/64', '192.168.0.0/16']), '10.200.0.0/25');
  assert.equal(lowestFreeSubnet(pool, ['10.128.0.0/9', '10.0.0.0/8']), undefined);
});

test('a pool that is used up has none', () => {
  assert.equal(lowestFreeSubnet('10.200.0.0/24', ['10.200.0.0/25', '10.200.0.128/25']), undefined);
});

test('subnets chosen one after another never overlap, with any existing ones', () => {
  const foreign = fc
    .tuple(fc.nat(7), fc.nat(255), fc.nat(255), fc.integer({ min: 14, max: 30 }))
    .map(([b, c, d, length]) => `10.${200 + b}.${c}.${d}/${length}`);
  fc.assert(
    fc.property(fc.array(foreign, { maxLength: 20 }), (taken) => {
      const all = [...taken];
      for (let round = 0; round < 5; round++) {
        const subnet = lowestFreeSubnet(pool, all);
        if (!subnet) return;
        const [first, last] = range(subnet);
        for (const other of all) {
          const [otherFirst, otherLast] = range(other);
          assert.ok(last < otherFirst || first > otherLast, `${subnet} overlaps ${other}`);
        }
        assert.equal(first % 128, 0);
        all.push(subnet);
      }
    }),
  );
});

test('addresses of pods start behind the gateway and end before the one of builders', () => {
  assert.equal(lowestFreeAddress('10.200.0.128/25', []), '10.200.0.130');
  assert.equal(lowestFreeAddress('10.200.0.128/25', ['10.200.0.130', '10.200.0.132']), '10.200.0.131');
  const all = Array.from({ length: 124 }, (_, index) => `10.200.0.${130 + index}`);
  assert.equal(all.at(-1), '10.200.0.253');
  assert.equal(lowestFreeAddress('10.200.0.128/25', all.slice(0, -1)), '10.200.0.253');
  assert.equal(lowestFreeAddress('10.200.0.128/25', all), undefined);
  assert.equal(builderAddress('10.200.0.128/25'), '10.200.0.254');
  assert.equal(builderAddress('10.200.1.0/25'), '10.200.1.126');
  assert.equal(fromBuilder, 'ip saddr & 0.0.0.127 == 0.0.0.126');
});

/** Written differently from the code under test: as binary text. */
function range(cidr: string): [number, number] {
  const [address = '', length = ''] = cidr.split('/');
  const bits = address
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('')
    .slice(0, Number(length));
  return [Number.parseInt(bits.padEnd(32, '0'), 2), Number.parseInt(bits.padEnd(32, '1'), 2)];
}
