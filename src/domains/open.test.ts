import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { emptyStore } from '../../test/support/empty-store.ts';
import { openDomains } from './open.ts';

/** Each refresh of the edge has the result that the test sets. */
async function world() {
  const db = await emptyStore();
  const refreshes = Array.from({ length: 3 }, () => ({
    begun: Promise.withResolvers<void>(),
    end: Promise.withResolvers<void>(),
  }));
  let count = 0;
  const refreshEdge = async () => {
    const refresh = refreshes[count++];
    refresh?.begun.resolve();
    await refresh?.end.promise;
  };
  const log = pino({ level: 'silent' });
  const settings = { domainResolvers: undefined, appsDomain: 'apps.test', baseUrl: new URL('http://berth.test') };
  const parts = { db, owner: 'i', now: () => 1, log, refreshEdge };
  const domains = openDomains(settings, parts);
  return { db, domains, refreshes, count: () => count };
}

test('a request while the edge reads the routes makes it read them again', async () => {
  const { db, domains, refreshes } = await world();
  domains.wake();
  await refreshes[0]!.begun.promise;
  domains.wake();
  refreshes[0]!.end.resolve();
  await refreshes[1]!.begun.promise;
  refreshes[1]!.end.resolve();
  await domains[Symbol.asyncDispose]();
  await db.destroy();
});

test('an edge that could not read the routes reads them again, after a wait, without a request', async (t) => {
  const { db, domains, refreshes, count } = await world();
  t.after(() => db.destroy());
  domains.wake();
  await refreshes[0]!.begun.promise;
  refreshes[0]!.end.reject(new Error('away'));
  await refreshes[1]!.begun.promise;
  refreshes[1]!.end.resolve();
  await domains[Symbol.asyncDispose]();
  assert.equal(count(), 2);
});
