import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { manyDeployments } from '../../test/support/many-deployments.ts';
import { scansOf, watchQueries } from '../../test/support/queries.ts';
import type { Endpoint, Site } from '../deployment/site.ts';
import { endAll, writeObservation } from '../store/deployments.ts';
import { acquireLeases } from '../store/leases.ts';
import { servedRoutes } from '../store/routes.ts';
import { createRouteFeed } from './route-feed.ts';

const endpoint = (address: string): Endpoint => ({ path: '/', address, port: 80 });

/** A store with some deployments, and an edge that records its updates and can fail to apply them. */
async function feedOf(count: number) {
  const { db, ids } = await manyDeployments(count, 0);
  const [lease] = await acquireLeases(db, { now: 0, leaseMs: 1e6, horizonMs: 1e6, limit: count });
  const served = new Map<string, Endpoint[]>();
  const reported: number[] = [];
  const warned: object[] = [];
  const state = { isAway: false };
  const take = (sites: Site[]) => {
    reported.push(sites.length);
    if (state.isAway) throw new Error('the edge is away');
    const changed = sites.filter(
      ({ host, endpoints }) => JSON.stringify(served.get(host) ?? []) !== JSON.stringify(endpoints),
    );
    for (const { host, endpoints } of changed) {
      if (endpoints.length > 0) served.set(host, endpoints);
      else served.delete(host);
    }
    return changed.map(({ host }) => host);
  };
  const edge = {
    async publish(sites: Site[]) {
      if (!state.isAway) served.clear();
      take(sites);
    },
    change: async (sites: Site[]) => take(sites),
  };
  const { watched, queries } = watchQueries(db);
  const log = { info() {}, warn: (fields: object) => void warned.push(fields) };
  return {
    db,
    ids,
    edge,
    served,
    reported,
    warned,
    state,
    queries,
    feed: createRouteFeed(watched, edge, { appsDomain: 'test', log }),
    write: (id: string, ...endpoints: Endpoint[]) =>
      db.transaction().execute((db) => writeObservation(db, { id, generation: 1 }, lease!.token, { endpoints })),
    async shouldServe() {
      const routes = await servedRoutes(db);
      return new Map(routes.map(({ label, endpoints }) => [`${label}.test`, endpoints]));
    },
  };
}

test('a change of one deployment reads one row, by an index, and sends one change to the edge', async () => {
  const { db, ids, feed, write, reported, queries, served } = await feedOf(300);
  for (const id of ids) await write(id, endpoint('10.0.0.1'));
  await feed.refresh();
  assert.deepEqual(reported, [300]);
  await write(ids[7]!, endpoint('10.0.0.2'));
  queries.length = 0;
  await feed.refresh();
  assert.deepEqual(reported, [300, 1]);
  assert.deepEqual(
    queries.map(({ rows }) => rows),
    [1, 1, 0],
    'the version, the row, and its custom domains',
  );
  for (const query of queries.slice(1)) assert.deepEqual(await scansOf(db, query), [], query.sql);
  assert.deepEqual(served.get('d0007.test'), [endpoint('10.0.0.2')]);
  queries.length = 0;
  await feed.refresh();
  assert.equal(queries.length, 1, 'nothing has changed');
});

test('after any writes, and any absence of the edge, it comes to serve the routes in the store', async () => {
  const act = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('write' as const), deployment: fc.nat(4), address: fc.nat(3) }),
    },
    fc.constantFrom({ kind: 'refresh' as const }, { kind: 'leave' as const }, { kind: 'return' as const }),
    fc.constant({ kind: 'compare' as const }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 20 }), async (acts) => {
      const { ids, feed, write, state, served, shouldServe, warned, db } = await feedOf(5);
      for (const each of acts) {
        if (each.kind === 'write')
          await write(ids[each.deployment]!, ...(each.address === 0 ? [] : [endpoint(`10.0.0.${each.address}`)]));
        else if (each.kind === 'leave') state.isAway = true;
        else if (each.kind === 'return') state.isAway = false;
        else await feed[each.kind]().catch(() => {});
      }
      state.isAway = false;
      await feed.refresh();
      assert.deepEqual(new Map([...served].sort()), new Map([...(await shouldServe())].sort()));
      assert.deepEqual(warned, [], 'what is on its way is not missed');
      await db.destroy();
    }),
    { numRuns: 50 },
  );
});

test('what a delta has lost, a round of comparisons finds, wherever it is', async () => {
  const { db, ids, feed, write, served, shouldServe, warned } = await feedOf(1_100);
  for (const id of ids.filter((_, index) => index % 100 === 0)) await write(id, endpoint('10.0.0.1'));
  await feed.refresh();
  served.delete('d0000.test');
  served.set('d0001.test', [endpoint('10.0.0.9')]);
  served.set('d0600.test', [endpoint('10.0.0.9')]);
  served.set('d1099.test', [endpoint('10.0.0.9')]);
  for (const _ of ['to 499', 'to 999', 'to 1099']) await feed.compare();
  assert.deepEqual(
    warned,
    [['d0000.test', 'd0001.test'], ['d0600.test'], ['d1099.test']].map((missed) => ({ missed })),
  );
  assert.deepEqual(new Map([...served].sort()), await shouldServe());
  served.delete('d0000.test');
  await feed.compare();
  assert.equal(warned.length, 4, 'the next round starts from the beginning');
  await db.destroy();
});

test('a store that was restored from a copy is sent as a whole', async () => {
  const { db, ids, feed, write, served, reported } = await feedOf(3);
  for (const id of ids) await write(id, endpoint('10.0.0.1'));
  await feed.refresh();
  await sql`update "routeTable" set version = 2`.execute(db);
  await sql`update deployments set "routesVersion" = 2, endpoints = '[]' where id = ${ids[0]}`.execute(db);
  await feed.refresh();
  assert.deepEqual(reported, [3, 2]);
  assert.deepEqual([...served.keys()], ['d0001.test', 'd0002.test']);
});

test('when all is ended at once, all routes go', async () => {
  const { db, ids, feed, write, served } = await feedOf(3);
  for (const id of ids) await write(id, endpoint('10.0.0.1'));
  await feed.refresh();
  await db.transaction().execute((db) => endAll(db, 5));
  await feed.refresh();
  assert.equal(served.size, 0);
});
