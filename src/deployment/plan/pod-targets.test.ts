import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, observedOf, pod, specOf } from '../../../test/support/deployments.ts';
import { database, running, second, serving, shop, spec, updated, web } from '../../../test/support/planned-shop.ts';
import { podAddressesOf } from '../workload/pod-addresses.ts';
import type { Observed } from '../workload/workload.ts';
import { describePlan } from './operation.ts';
import { plan } from './plan.ts';

const addressOf = (name: string) =>
  podAddressesOf([{ pod: name, replica: 0, aliases: [name], ports: [] }]).get(name) ?? '';
const [db, site] = [addressOf('db'), addressOf('web')];

/** The pod targets that an engine with pod addresses reports. */
const leading = (observed: Observed, podTargets: Observed['podTargets'] = {}): Observed => ({
  ...observed,
  podTargets,
});
const first = { [db]: [address('db', 1)], [site]: [address('web', 1)] };
const old = observedOf({ desired: running(), ready: ['db', 'web'] });

/** The plan's line about pod addresses, if it has one. */
function lineOf(desired: ReturnType<typeof running>, observed: Observed): string | undefined {
  const lines = describePlan(plan(desired, observed, serving)).split('\n');
  return lines.find((line) => line.startsWith('set-pod-targets'));
}

test('the address of a pod leads to its workload as soon as that runs, ready or not', () => {
  const observed = leading(observedOf({ desired: running(), starting: ['db'], images: ['nginx:1'] }));
  assert.equal(lineOf(running(), observed), `set-pod-targets ${db}→${address('db', 1)}, its container was changed`);
  assert.equal(lineOf(running(), leading(old, first)), undefined);
});

test('an engine with its own Services needs no operations', () => {
  assert.equal(lineOf(running(), old), undefined);
});

test('during an update the address leads to the old workload until all of the new revision is ready', () => {
  const desired = running(updated, second);
  const starting = observedOf({ desired, starting: ['web'], additional: old });
  assert.equal(lineOf(desired, leading(starting, first)), undefined);
  const both = specOf({ ...database, volumes: [], image: 'postgres:16' }, { ...web, image: 'nginx:2' });
  const next = running(updated, both);
  const half = observedOf({ desired: next, ready: ['db'], starting: ['web'], additional: old });
  assert.equal(lineOf(next, leading(half, first)), undefined);
});

test('the addresses change before the old workloads drain and go', () => {
  const desired = running(updated, second);
  const ready = observedOf({ desired, ready: ['web'], additional: old });
  const lines = describePlan(plan(desired, leading(ready, first), serving)).split('\n');
  const kinds = lines.map((line) => line.split(' ')[0]);
  assert.deepEqual(kinds, ['set-pod-targets', 'route', 'drain', 'remove']);
  assert.match(lines[0]!, new RegExp(`${site}→${address('web', 2)}, all are ready$`));
});

test('where the old workload had to stop first, the address leads to the new one', () => {
  const changed = running(updated, specOf({ ...database, image: 'postgres:16' }, web));
  const kept = { ...old, workloads: old.workloads.filter((each) => each.pod === 'web') };
  const starting = observedOf({ desired: changed, starting: ['db'], additional: kept });
  assert.match(lineOf(changed, leading(starting, first)) ?? '', new RegExp(`${db}→${address('db', 2)}`));
});

test('a pod that the next revision does not have is reached until that revision is ready', () => {
  const cache = pod('cache', { image: 'redis:7', servicePorts: [6379] });
  const before = running(shop, specOf(database, cache, web));
  const desired = running(updated, second);
  const other = observedOf({ desired: before, ready: ['db', 'cache', 'web'] });
  const targets = { ...first, [addressOf('cache')]: [address('cache', 1)] };
  const starting = observedOf({ desired, starting: ['web'], additional: other });
  assert.equal(lineOf(desired, leading(starting, targets)), undefined);
  const ready = observedOf({ desired, ready: ['web'], additional: other });
  assert.doesNotMatch(lineOf(desired, leading(ready, targets)) ?? addressOf('cache'), new RegExp(addressOf('cache')));
});

test('an address is shared by replicas, and leaves out one that is not ready', () => {
  const many = running(shop, specOf(database, { ...web, replicas: 2 }));
  const observed = observedOf({ desired: many, ready: ['db', 'web'] });
  const workloads = observed.workloads.map((each, index) => ({ ...each, address: `10.0.0.${index}` }));
  assert.match(lineOf(many, leading({ ...observed, workloads })) ?? '', new RegExp(`${site}→10.0.0.1,10.0.0.2`));
  const limping = workloads.map((each, index) => ({ ...each, isReady: index !== 2 }));
  const line = lineOf(many, leading({ ...observed, workloads: limping })) ?? '';
  assert.match(line, new RegExp(`${site}→10.0.0.1(,? |, |$)`));
});

test('a second pass does nothing', () => {
  const desired = running(shop, spec);
  const [operation] = plan(desired, leading(old), serving);
  assert.ok(operation?.kind === 'set-pod-targets');
  assert.equal(lineOf(desired, leading(old, operation.targets)), undefined);
});
