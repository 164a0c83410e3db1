import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answerBoundsMs, createRequestTally, noRequests, type RequestCounts } from './use.ts';

/** Returns this many requests, all with a server error within the first bound. */
function errors(requests: number): RequestCounts {
  const tookWithin = noRequests.tookWithin.map((_, index) => (index === 0 ? requests : 0));
  return { requests, clientErrors: 0, serverErrors: requests, tookWithin };
}

const requestsOf = (sums: Map<string, RequestCounts>) =>
  Object.fromEntries([...sums].map(([owner, { requests }]) => [owner, requests]));

test('the first read discards earlier counts, and each later request is counted once', () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.array(fc.nat(50)), (first, steps) => {
      const tally = createRequestTally();
      let counted = first;
      assert.deepEqual(requestsOf(tally(new Map([['a', errors(counted)]]), () => 'shop')), {});
      let reported = 0;
      for (const step of steps) {
        counted += step;
        reported += tally(new Map([['a', errors(counted)]]), () => 'shop').get('shop')!.requests;
      }
      assert.equal(reported, counted - first);
    }),
  );
});

test('what several addresses of a deployment have had is one sum', () => {
  const tally = createRequestTally();
  tally(new Map(), () => undefined);
  const sums = tally(
    new Map([
      ['a', errors(2)],
      ['b', errors(3)],
      ['c', errors(7)],
    ]),
    (address) => (address === 'c' ? 'blog' : 'shop'),
  );
  assert.deepEqual(sums.get('shop'), errors(5));
  assert.deepEqual(sums.get('blog'), errors(7));
});

test('an edge that was restarted, or has forgotten an address, counts from zero', () => {
  const tally = createRequestTally();
  tally(new Map([['a', errors(10)]]), () => 'shop');
  assert.deepEqual(requestsOf(tally(new Map([['a', errors(4)]]), () => 'shop')), { shop: 4 });
  assert.deepEqual(requestsOf(tally(new Map(), () => 'shop')), {});
  assert.deepEqual(requestsOf(tally(new Map([['a', errors(6)]]), () => 'shop')), { shop: 6 });
});

test('what an address has had until it passed to another deployment is not the other’s', () => {
  const tally = createRequestTally();
  tally(new Map([['a', errors(10)]]), () => 'shop');
  // The deployment has moved to another address. The last requests on the old one were still its own.
  assert.deepEqual(requestsOf(tally(new Map([['a', errors(12)]]), () => undefined)), { shop: 2 });
  assert.deepEqual(requestsOf(tally(new Map([['a', errors(15)]]), () => 'blog')), { blog: 3 });
});

test('requests between two looks in which an address changed its deployment are discarded', () => {
  const tally = createRequestTally();
  tally(new Map([['a', errors(10)]]), () => 'shop');
  assert.deepEqual(requestsOf(tally(new Map([['a', errors(90)]]), () => 'blog')), {});
  assert.deepEqual(requestsOf(tally(new Map([['a', errors(95)]]), () => 'blog')), { blog: 5 });
});

test('there is a place for answers that took longer than every bound', () => {
  assert.equal(noRequests.tookWithin.length, answerBoundsMs.length + 1);
  assert.deepEqual(
    [...answerBoundsMs].sort((a, b) => a - b),
    [...answerBoundsMs],
  );
});
