import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pullTermsOf } from './pull-limits.ts';

const strangers = { perSession: 1, perAddress: 1, memoryBytesPerAddress: 1, pulls: { atOnce: 1, compressedBytes: 5 } };
const free = { name: 'free', deployments: 1, memoryBytes: 1, allowsReservations: false, lifetimeMs: null };
const whose = { sessionId: 's', client: '192.0.2.1' };

test('the plan of its account says what an image of a deployment may have, and all pulls of the account count', () => {
  const terms = pullTermsOf({ accountId: 'a', tier: { ...free, pulls: { unpackedBytes: 7 } } }, strangers, whose);
  const image = { unpackedBytes: 7, by: 'with the plan "free"', payer: 'account a' };
  assert.deepEqual(terms, { client: 'account a', atOnce: 4, image });
});

test('without an account the address counts, and the session where none is known', () => {
  const terms = pullTermsOf(undefined, strangers, whose);
  assert.deepEqual(terms, {
    client: 'address 192.0.2.1',
    atOnce: 1,
    image: { compressedBytes: 5, by: 'without an account', payer: 'address 192.0.2.1' },
  });
  assert.equal(pullTermsOf(undefined, strangers, { ...whose, client: undefined }).client, 'session s');
});
