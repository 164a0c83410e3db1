import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressesOfPod, podAddressesOf, podAddressRange, printTargets } from './pod-addresses.ts';
import type { Neighbour } from './workload.ts';

const neighbour = (pod: string, replica = 0, more: string[] = []): Neighbour => ({
  pod,
  replica,
  aliases: [pod, `${pod}.pod`, ...more],
  ports: [],
});
const podName = fc.stringMatching(/^[a-z][a-z0-9-]{1,12}$/);

test('all names of a pod share one address, which no other pod has, out of a range that nothing else reaches', () => {
  fc.assert(
    fc.property(fc.uniqueArray(podName, { minLength: 1, maxLength: 60 }), (pods) => {
      const neighbours = pods.map((pod) => neighbour(pod));
      const addresses = podAddressesOf(neighbours);
      const own = neighbours.map((each) => addressesOfPod(each, addresses));
      assert.ok(own.every((list) => list.length === 1));
      assert.equal(new Set(own.flat()).size, pods.length);
      for (const [address] of own) assert.match(address!, /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./);
    }),
  );
  assert.equal(podAddressRange, '100.64.0.0/10');
});

test('an address stays the same in every order, and while other pods come and go', () => {
  fc.assert(
    fc.property(fc.uniqueArray(podName, { minLength: 2, maxLength: 30 }), (pods) => {
      const all = podAddressesOf(pods.map((pod) => neighbour(pod)));
      const [first = ''] = pods;
      assert.equal(podAddressesOf([neighbour(first)]).get(first), all.get(first));
      assert.deepEqual(podAddressesOf(pods.toReversed().map((pod) => neighbour(pod))), new Map([...all].toReversed()));
    }),
    { seed: 1 },
  );
});

test('a replica of a stateful set has an address for its own names, and shares the one of its pod', () => {
  const replicas = [0, 1].map((replica) => neighbour('db', replica, [`db-${replica}`, `db-${replica}.pod`]));
  const addresses = podAddressesOf(replicas);
  assert.equal(addresses.get('db-0'), addresses.get('db-0.pod'));
  assert.equal(new Set([addresses.get('db'), addresses.get('db-0'), addresses.get('db-1')]).size, 3);
  assert.deepEqual(addressesOfPod(replicas[1]!, addresses), [addresses.get('db'), addresses.get('db-1')]);
  assert.equal(podAddressesOf([replicas[0]!]).get('db-0'), addresses.get('db-0'));
});

test('targets print the same in any order', () => {
  const one = { '100.64.0.1': ['10.0.0.2', '10.0.0.3'], '100.64.0.2': ['10.0.0.4'] };
  const other = { '100.64.0.2': ['10.0.0.4'], '100.64.0.1': ['10.0.0.3', '10.0.0.2'] };
  assert.equal(printTargets(one), printTargets(other));
  assert.equal(printTargets(one), '100.64.0.1→10.0.0.2,10.0.0.3 100.64.0.2→10.0.0.4');
});
