import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { reservedIPv4, reservedIPv6 } from '../../lib/reserved-addresses.ts';
import { isPublicAddress } from './container-values.ts';

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', length] = range.split('/');
    list.addSubnet(network, Number(length), family);
  }
  return list;
}

// In one list, networks of version 6 would also match addresses of version 4.
const ofVersion4 = listOf(reservedIPv4, 'ipv4');
const ofVersion6 = listOf(reservedIPv6, 'ipv6');

test('an address is public when the firewall holds it for that', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => assert.equal(isPublicAddress(address), !ofVersion4.check(address, 'ipv4'))),
  );
  const group = fc.constantFrom('0', '2001', '2002', '2606', '3fff', '4000', 'fe80', 'fd00', 'ffff', '64', 'ff9b');
  const address = fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(':'));
  fc.assert(
    fc.property(fc.oneof(address, fc.ipV6()), (one) => {
      // An IPv4 address within an IPv6 address does not count here.
      if (/\./.test(one)) assert.equal(isPublicAddress(one), false);
      else assert.equal(isPublicAddress(one), !ofVersion6.check(one, 'ipv6'), one);
    }),
  );
});

test('a text that is not an address is not public', () => {
  for (const text of [
    '',
    ':',
    '1.2.3',
    '8.8.8.8.8',
    '08.8.8.8',
    '256.1.1.1',
    '0x08080808',
    '134744072',
    'example.com',
    '2606::1%eth0',
    ':::',
    '2606:x::',
  ])
    assert.equal(isPublicAddress(text), false, text);
});
