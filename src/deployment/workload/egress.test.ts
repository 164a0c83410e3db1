import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEgress, printEgress } from './egress.ts';

test('egress is open, none, or networks with ports or without, and prints as it is read', () => {
  assert.deepEqual(parseEgress('open'), { kind: 'open' });
  assert.deepEqual(parseEgress('none'), { kind: 'none' });
  const list = parseEgress('203.0.113.0/24:443, 198.51.100.7,[2001:DB8::/32]:443,[2001:db8::7]');
  assert.deepEqual(list, {
    kind: 'only',
    to: [
      { family: 4, cidr: '203.0.113.0/24', port: 443 },
      { family: 4, cidr: '198.51.100.7/32' },
      { family: 6, cidr: '2001:db8::/32', port: 443 },
      { family: 6, cidr: '2001:db8::7/128' },
    ],
  });
  assert.deepEqual(parseEgress(printEgress(list!)), list);
});

test('texts that are not addresses, networks or ports are not a valid egress', () => {
  const refused = [
    ...['', 'all', 'open,none', 'example.com', '203.0.113.256', '203.0.113.0/33', '1.2.3', '203.0.113.7:0'],
    ...['203.0.113.7:65536', '203.0.113.7:https', '[203.0.113.7]', '2001:db8::7', '[2001:db8::/129]', '[::g]'],
    ...['203.0.113.7 accept', '203.0.113.7;', '{ 1.1.1.1 }', '203.0.113.7,', '[fe80::1%eth0]'],
    Array.from({ length: 101 }, () => '203.0.113.7').join(','),
  ];
  for (const text of refused) assert.equal(parseEgress(text), undefined, text);
});
