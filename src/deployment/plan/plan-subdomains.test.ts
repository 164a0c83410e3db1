/** Tests pods with their own host names below the custom domain of the configuration. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, observedOf, pod, specOf } from '../../../test/support/deployments.ts';
import { running, shop, updated, web } from '../../../test/support/planned-shop.ts';
import type { Desired } from '../desired.ts';
import type { Endpoint } from '../site.ts';
import { plan } from './plan.ts';

const named = pod('admin', { image: 'nginx:1', path: '/', servicePorts: [80], subdomain: 'admin' });
const of = (...pods: Parameters<typeof specOf>) => ({ ...specOf(...pods), url: 'example.com' });
const images = ['nginx:1', 'nginx:2'];

/** The endpoints that the edge routes to when these are ready. */
function routed(desired: Desired, ready: string[], before: Endpoint[] = []): readonly Endpoint[] | undefined {
  const observed = observedOf({ desired, ready, images, network: true });
  const found = plan(desired, observed, before).find(({ kind }) => kind === 'route');
  return found?.kind === 'route' ? found.endpoints : undefined;
}

const atWeb = { path: '/', address: address('web', 1), port: 80 };
const atAdmin = { path: '/', address: address('admin', 1), port: 80 };
const host = 'admin.example.com';

test('a pod of a subdomain is routed at its name alone where another one has its path, else at both', () => {
  const both = running(shop, of(web, named));
  assert.deepEqual(routed(both, ['web', 'admin']), [atWeb, { ...atAdmin, host }]);
  assert.equal(routed(both, ['web', 'admin'], [{ ...atAdmin, host }, atWeb]), undefined, 'nothing is left to do');
  assert.deepEqual(routed(running(shop, of(named)), ['admin']), [atAdmin, { ...atAdmin, host }]);
  assert.deepEqual(routed(running(shop, specOf(named)), ['admin']), [atAdmin], 'without the domain it has no name');
  assert.deepEqual(routed(running(shop, of({ ...named, resourceType: 'job' }, web)), ['web', 'admin']), [atWeb]);
});

test('that a pod gets a name of its own, or another one, is a change of routes alone', () => {
  const moved = running(shop, of(web, { ...named, subdomain: 'staff' }));
  const before = [atWeb, { ...atAdmin, host }];
  assert.deepEqual(routed(moved, ['web', 'admin'], before), [atWeb, { ...atAdmin, host: 'staff.example.com' }]);
});

test('a new workload gets no address that the name of another pod still leads to', () => {
  const desired = running(updated, of({ ...web, image: 'nginx:2' }, { ...named, image: 'nginx:2' }));
  const observed = observedOf({ images, network: true });
  const starts = plan(desired, observed, [atWeb, { ...atAdmin, host }]).filter(({ kind }) => kind === 'start');
  const avoided = starts.map((each) => each.kind === 'start' && [each.workload.pod, each.avoid]);
  assert.deepEqual(avoided, [
    ['web', [atAdmin.address]],
    ['admin', [atWeb.address]],
  ]);
});
