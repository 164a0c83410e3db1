import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Kysely } from 'kysely';
import { addDeployment, endAll, writeObservation } from '../../../src/store/deployments.ts';
import { acquireLeases, makeDue } from '../../../src/store/leases.ts';
import { routesAfter, routesSince } from '../../../src/store/routes.ts';
import type { Tables } from '../../../src/store/rows.ts';
import { addSession } from '../../../src/store/sessions.ts';
import { deploymentOf } from '../../support/deployments.ts';
import type { OpenStore } from './store.ts';

export function routesContract(open: OpenStore): void {
  let db: Kysely<Tables>;
  let token: string;
  const ids = Array.from({ length: 20 }, (_, index) => `d${index}`);
  beforeEach(async () => {
    db = await open();
    await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
    for (const id of ids) {
      await addDeployment(db, deploymentOf({ id, label: id, applicationName: id }));
      await makeDue(db, id, 0);
    }
    const [lease] = await acquireLeases(db, { now: 0, leaseMs: 1_000, horizonMs: 1_000, limit: ids.length });
    token = lease!.token;
  });
  afterEach(async () => await db.destroy());

  const write = (id: string, ...addresses: string[]) => {
    const endpoints = addresses.map((address) => ({ path: '/', address, port: 80 }));
    return db.transaction().execute((db) => writeObservation(db, { id, generation: 1 }, token, { endpoints }));
  };
  const led = async (since: number | undefined) => {
    const { changed, isWhole, version } = await routesSince(db, since);
    return {
      version,
      isWhole,
      changed: changed.map(({ id, endpoints }) => [id, ...endpoints.map((to) => to.address)]),
    };
  };

  test('changes since a version are returned in their present state, and nothing else', async () => {
    await write('d1', '10.0.0.1');
    const { version, ...first } = await led(undefined);
    assert.deepEqual(first, { isWhole: true, changed: [['d1', '10.0.0.1']] });
    assert.deepEqual(await led(version), { version, isWhole: false, changed: [] });
    await write('d2', '10.0.0.2');
    await write('d1', '10.0.0.3');
    await write('d2');
    const { changed, isWhole } = await led(version);
    assert.deepEqual([isWhole, changed], [false, [['d1', '10.0.0.3'], ['d2']]]);
    assert.deepEqual((await led(version + 100)).isWhole, true, 'a version that the store has not had');
  });

  test('an observation without routes, or one that is not written, is not a version', async () => {
    await write('d1', '10.0.0.1');
    const { version } = await led(undefined);
    await writeObservation(db, { id: 'd1', generation: 1 }, token, { progress: 50 });
    const late = { endpoints: [{ path: '/', address: '10.0.0.9', port: 80 }] };
    assert.equal(await writeObservation(db, { id: 'd1', generation: 1 }, 'lost', late), false);
    assert.deepEqual(await led(version), { version, isWhole: false, changed: [] });
  });

  test('a reader that polls while others write misses no change', async () => {
    const seen = new Map<string, string | undefined>();
    let version: number | undefined = (await led(undefined)).version;
    let isWriting = true;
    const read = async () => {
      const news = await routesSince(db, version);
      version = news.version;
      for (const { id, endpoints } of news.changed) seen.set(id, endpoints[0]?.address);
    };
    const reading = (async () => {
      while (isWriting) await read();
    })();
    await Promise.all(
      ids.map(async (id, number) => {
        for (let round = 1; round <= 5; round++) await write(id, `10.0.${number}.${round}`);
      }),
    );
    isWriting = false;
    await reading;
    await read();
    assert.deepEqual(
      new Map([...seen].sort()),
      new Map(ids.map((id, number) => [id, `10.0.${number}.5`] as const).sort()),
    );
  });

  test('the whole table can be read in parts, those that lead nowhere included', async () => {
    await write('d3', '10.0.0.3');
    const found: string[] = [];
    for (let after = ''; ; ) {
      const part = await routesAfter(db, after, 7);
      found.push(...part.map(({ id }) => id));
      if (part.length < 7) break;
      after = part.at(-1)!.id;
    }
    assert.deepEqual(found.toSorted(), ids.toSorted());
  });

  test('when all is ended at once, each route goes', async () => {
    await write('d1', '10.0.0.1');
    const { version } = await led(undefined);
    await db.transaction().execute((db) => endAll(db, 7));
    const { changed } = await led(version);
    assert.deepEqual(
      changed.find(([id]) => id === 'd1'),
      ['d1'],
    );
  });
}
