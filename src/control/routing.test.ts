import assert from 'node:assert/strict';
import { test } from 'node:test';
import { images, neighbourOf, shopOnMemory, spec, web, withWeb } from '../../test/support/controlled-deployment.ts';
import { pod, specOf } from '../../test/support/deployments.ts';
import { createTestEngine, type TestEngine } from '../../test/support/memory-engine.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { endpointsAt } from '../deployment/site.ts';
import { EngineFault } from '../engine/engine.ts';
import { nextRoutesVersion, routesVersion } from '../store/routes.ts';
import { confirmEverywhere } from './routing.ts';

/** A running deployment with a pending update. */
async function shopWithUpdate() {
  const shop = await shopOnMemory(spec, { ...images, 'nginx:2': {} });
  await shop.visit();
  await shop.update(withWeb('nginx:2'));
  return { shop, control: shop.control, refreshEdge: shop.control.refreshEdge };
}

test('nothing is removed while the edge has not let go of it', async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  await shop.intend({ removedAt: shop.clock.now });
  const { refreshEdge } = shop.control;
  shop.control.refreshEdge = async () => {
    throw new Error('the edge is away');
  };
  for (const _ of ['once', 'and again']) {
    await assert.rejects(shop.visit(), /the edge is away/);
    shop.clock.pass(shop.control.settings.leaseMs);
    assert.equal(shop.world.containers.size, 2);
  }
  shop.control.refreshEdge = refreshEdge;
  await shop.visit();
  assert.deepEqual(await shop.control.engine.listOwned(), []);
});

test('nothing is removed on the word of a row whose route the edge never took', async () => {
  const { shop, control, refreshEdge } = await shopWithUpdate();
  control.refreshEdge = async () => {
    // The row no longer shows that the edge still has the old route.
    await shop.intend({});
    throw new Error('the edge is away');
  };
  await assert.rejects(shop.visit(), /the edge is away/);
  control.refreshEdge = refreshEdge;
  shop.clock.pass(control.settings.leaseMs);
  const [served] = (await shop.deployment()).endpoints;
  await shop.visit((engine) => {
    const { execute } = engine;
    engine.execute = async (id, operation, ...rest) => {
      if (operation.kind === 'remove') assert.equal(shop.published.at(-1), `/ ${served!.address}`);
      return await execute(id, operation, ...rest);
    };
  });
  assert.deepEqual([...shop.world.containers.keys()].toSorted(), ['berth-shop-db-1-0', 'berth-shop-web-2-0']);
});

test('a deployment is not shown as running before the edge has its routes, even if the row says so', async () => {
  const shop = await shopOnMemory(spec, images);
  const { control } = shop;
  const { refreshEdge } = control;
  control.refreshEdge = async () => {
    await shop.intend({});
    throw new Error('the edge is away');
  };
  await assert.rejects(shop.visit(), /the edge is away/);
  const [written] = (await shop.deployment()).endpoints;
  control.refreshEdge = async () => {
    assert.equal((await shop.deployment()).state, 'deploying');
    await refreshEdge();
  };
  shop.clock.pass(control.settings.leaseMs);
  await shop.visit();
  assert.deepEqual(shop.published, [`/ ${written!.address}`]);
  assert.equal((await shop.deployment()).state, 'running');
});

test('a revision that visitors have got is one to go back to, though an update has come at that moment', async () => {
  const shop = await shopOnMemory(spec, images);
  const { control } = shop;
  const { refreshEdge } = control;
  control.refreshEdge = async () => {
    await refreshEdge();
    if (shop.published.length === 1) await shop.update(withWeb('bad:1'));
  };
  await shop.visit();
  shop.clock.pass(control.settings.deployDeadlineMs);
  await shop.visit();
  const { state, message, servingRevision } = await shop.deployment();
  assert.deepEqual([state, servingRevision], ['failed', 1]);
  assert.match(message, /; revision 1 still serves$/);
  assert.deepEqual([...shop.world.containers.keys()].toSorted(), ['berth-shop-db-1-0', 'berth-shop-web-1-0']);
});

test('a lost address is not reused before the edge has released it', async () => {
  const shop = await shopOnMemory(spec, images);
  const { control } = shop;
  await shop.visit();
  const [served] = (await shop.deployment()).endpoints;
  createTestEngine({ world: shop.world }).lose({ kind: 'network', id: 'shop' });
  const { refreshEdge } = control;
  let neighbour: Deployment | undefined;
  control.refreshEdge = async () => {
    control.refreshEdge = refreshEdge;
    neighbour ??= await neighbourOf(shop, 'neighbour', spec);
    await refreshEdge();
  };
  await shop.visit();
  assert.equal((await shop.deployment()).state, 'running');
  assert.notEqual(neighbour!.endpoints[0]!.address, served!.address);
});

test('an edge that has taken a route and then failed is updated again before anything is removed', async () => {
  const { shop, control, refreshEdge } = await shopWithUpdate();
  control.refreshEdge = async () => {
    await refreshEdge();
    throw new EngineFault('bad-request', 'It has failed.');
  };
  const [served] = (await shop.deployment()).endpoints;
  const lookAtRemovals = (engine: TestEngine) => {
    const { execute } = engine;
    engine.execute = async (id, operation, ...rest) => {
      if (operation.kind === 'remove') assert.equal(shop.published.at(-1), `/ ${served!.address}`);
      return await execute(id, operation, ...rest);
    };
  };
  await shop.visit(lookAtRemovals);
  control.refreshEdge = refreshEdge;
  shop.clock.pass(control.settings.leaseMs);
  await shop.visit(lookAtRemovals);
  assert.equal((await shop.deployment()).state, 'failed');
});

test('each of several edges is queried again before a removal: another process may have changed its routes', async () => {
  const shop = await shopOnMemory(spec, images);
  await shop.visit();
  const deployment = await shop.deployment();
  const requested: string[] = [];
  const router = {
    refreshEdge: async () => void requested.push('own'),
    othersServe: async () => void requested.push('others'),
    routed: shop.control.routed,
  };
  await confirmEverywhere(deployment, router);
  await confirmEverywhere(deployment, router);
  assert.deepEqual(requested, ['own', 'others', 'own', 'others']);
});

test('where an edge may still lead that lags behind, no other deployment gets an address', async () => {
  const shop = await shopOnMemory(spec, images);
  const { control } = shop;
  await shop.visit();
  const [served] = (await shop.deployment()).endpoints;
  // Its network is lost without an event, and the row shows that. Another process died before all edges were updated.
  createTestEngine({ world: shop.world }).lose({ kind: 'network', id: 'shop' });
  const { db } = control;
  const requested: number[] = [];
  control.othersLead = async (version) => {
    requested.push(version);
    return [served!.address];
  };
  await db
    .updateTable('deployments')
    .set({ endpoints: '[]', routesVersion: await nextRoutesVersion(db) })
    .execute();
  const neighbour = await neighbourOf(shop, 'neighbour', spec);
  assert.deepEqual([...new Set(requested)], [(await routesVersion(db)) - 1], 'before it had a route of its own');
  assert.notEqual(neighbour.endpoints[0]!.address, served!.address);
  assert.equal(neighbour.state, 'running');
});

test('the name of a pod shows nothing while that is replaced, and at no time another pod', async () => {
  const volumes = [{ name: 'data', sizeBytes: 1, mountPath: '/data' }];
  const of = (image: string) => ({
    ...specOf(web, pod('admin', { image, path: '/', servicePorts: [80], subdomain: 'admin', volumes })),
    url: 'example.com',
  });
  const shop = await shopOnMemory(of('nginx:1'), { ...images, 'nginx:2': {} });
  const { control } = shop;
  const { refreshEdge } = control;
  const seen: string[] = [];
  control.refreshEdge = async () => {
    await refreshEdge();
    const deployment = await shop.deployment();
    const at = (host: string) => endpointsAt(host, deployment).map(({ address }) => address);
    assert.notDeepEqual(at('admin.example.com'), at('example.com'));
    seen.push(at('admin.example.com').length === 0 ? 'away' : 'there');
  };
  await shop.visit();
  await shop.update(of('nginx:2'));
  await shop.visit();
  assert.deepEqual(
    seen.filter((each, index) => each !== seen[index - 1]),
    ['there', 'away', 'there'],
  );
  control.refreshEdge = refreshEdge;
  await shop.update(specOf(web));
  await shop.visit();
  assert.deepEqual((await shop.deployment()).ownHosts, [], 'a revision without that pod leaves the name to the others');
});

test('names that a release without them has left are mended by the next visit, also while their pod is away', async () => {
  const admin = pod('admin', { image: 'nginx:1', path: '/', servicePorts: [80], subdomain: 'admin' });
  const of = (...pods: Parameters<typeof specOf>) => ({ ...specOf(...pods), url: 'example.com' });
  const shop = await shopOnMemory(of(web, admin), images);
  const { control } = shop;
  const { db, refreshEdge } = control;
  await shop.visit();
  const { endpoints: all, ownHosts } = await shop.deployment();
  assert.deepEqual(ownHosts, ['admin.example.com']);
  /** @returns The host's routes at each update of the edge. */
  const visitAfter = async (left: { ownHosts: string[]; endpoints?: typeof all }) => {
    const row = Object.entries(left).map(([name, value]) => [name, JSON.stringify(value)]);
    await db.updateTable('deployments').set(Object.fromEntries(row)).execute();
    const seen: number[] = [];
    control.refreshEdge = async () => {
      await refreshEdge();
      seen.push(endpointsAt('admin.example.com', await shop.deployment()).length);
    };
    await shop.intend({});
    await shop.visit();
    return seen;
  };
  const others = all.filter(({ host }) => host === undefined);
  assert.deepEqual(await visitAfter({ ownHosts: [], endpoints: others }), [0, 1], 'at no time another pod');
  assert.deepEqual((await shop.deployment()).ownHosts, ['admin.example.com']);
  assert.deepEqual(await visitAfter({ ownHosts }), [], 'what is right stays');
  await shop.update(of(web));
  await shop.visit();
  assert.deepEqual(await visitAfter({ ownHosts }), [1], 'it is the name of all again');
  assert.deepEqual((await shop.deployment()).ownHosts, []);
});
