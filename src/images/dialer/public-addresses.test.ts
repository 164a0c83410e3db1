import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isPublic } from './public-addresses.ts';

test('addresses of the internet are public', () => {
  for (const address of ['1.1.1.1', '93.184.216.34', '172.15.0.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'])
    assert.equal(isPublic(address, []), true, address);
});

test('addresses of this machine, of private networks and of clouds are not, in any form', () => {
  const reserved = [
    ...['0.0.0.0', '10.1.2.3', '100.100.100.200', '127.0.0.1', '127.255.255.254', '168.63.129.16', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.0.0.192', '192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:1.1.1.1', '::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1'],
    ...['2001::1', '2002:7f00:1::', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'ff02::1'],
  ];
  for (const address of reserved) assert.equal(isPublic(address, []), false, address);
});

test('a text that is not an address is not public', () => {
  for (const text of ['', 'localhost', '127.1', '0x7f000001', '1.1.1.1:80', '[2606:4700::1111]'])
    assert.equal(isPublic(text, []), false, text);
});

test("a public address is not, where it is this machine's", () => {
  assert.equal(isPublic('93.184.216.34', ['93.184.216.34']), false);
});

test('an IPv4 address within an IPv6 one is never public', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.constantFrom('::ffff:', '::', '64:ff9b::'), (address, prefix) => {
      assert.equal(isPublic(prefix + address, []), false);
    }),
  );
});
