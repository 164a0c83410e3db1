import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientHeader, clientKey } from './client-address.ts';

const keyOf = (address: string) => clientKey({ headers: { [clientHeader]: address } }, '10.200.0.0/13');

test('a client of IPv4 counts by its address, however it is spelled', () => {
  assert.equal(keyOf('192.0.2.1'), '192.0.2.1');
  assert.equal(keyOf('::ffff:192.0.2.1'), '192.0.2.1');
});

test('all containers of all applications are one client', () => {
  const inside = ['10.200.0.2', '10.200.0.130', '10.207.255.254', '::ffff:10.201.3.4'];
  assert.deepEqual([...new Set(inside.map(keyOf))], ['10.200.0.0/13']);
  for (const outside of ['10.199.255.255', '10.208.0.1']) assert.equal(keyOf(outside), outside);
});

test('clients of one IPv6 network of 64 bits count as one, those of another as another', () => {
  const one = ['2001:db8:1:2::1', '2001:0DB8:1:2:ffff:1:2:3', '2001:db8:1:2::', '2001:db8:1:2:3:4:192.0.2.1'];
  assert.deepEqual([...new Set(one.map(keyOf))], ['2001:db8:1:2::/64']);
  assert.equal(keyOf('2001:db8::1:2:3:4:5'), '2001:db8:0:1::/64');
  assert.equal(keyOf('2001::2:3:4:5:6:7'), '2001:0:2:3::/64');
  assert.equal(keyOf('::1'), '0:0:0:0::/64');
  assert.equal(keyOf('64:ff9b::192.0.2.1'), '64:ff9b:0:0::/64');
});
