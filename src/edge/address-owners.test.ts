import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createAddressOwners } from './route-feed.ts';

const endpoint = (address: string) => ({ path: '/', address, port: 80 });

test('an address is whose endpoint was noted there last, as long as that one has it', () => {
  const change = fc.record({
    id: fc.constantFrom('shop', 'blog', 'wiki'),
    addresses: fc.subarray(['a', 'b', 'c', 'd']),
    isOnly: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const owners = createAddressOwners();
      const expected = new Map<string, string>();
      for (const { id, addresses, isOnly } of changes) {
        for (const [address, owner] of expected) if (isOnly || owner === id) expected.delete(address);
        for (const address of addresses) expected.set(address, id);
        owners[isOnly ? 'replaceRoutes' : 'addRoutes']([{ id, endpoints: addresses.map(endpoint) }]);
      }
      for (const address of ['a', 'b', 'c', 'd']) assert.equal(owners.ownerOf(address), expected.get(address));
    }),
  );
});

test('an address may pass from one deployment to another in one change, in either order', () => {
  const owners = createAddressOwners();
  owners.addRoutes([{ id: 'shop', endpoints: [endpoint('a')] }]);
  owners.addRoutes([
    { id: 'blog', endpoints: [endpoint('a')] },
    { id: 'shop', endpoints: [endpoint('b')] },
  ]);
  assert.deepEqual([owners.ownerOf('a'), owners.ownerOf('b')], ['blog', 'shop']);
});
