import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deploymentOf } from '../../test/support/deployments.ts';
import { emptyStore } from '../../test/support/empty-store.ts';
import { scansOf, watchQueries } from '../../test/support/queries.ts';
import { addDeployment } from './deployments.ts';
import { acquireLeases, makeDue, nextDueAt, renewLeases } from './leases.ts';
import { addSession } from './sessions.ts';

test('what is due, and when something will be, is found without reading those that wait', async () => {
  const db = await emptyStore();
  await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
  await addDeployment(db, deploymentOf({}));
  await makeDue(db, 'shop', 0);
  const { watched, queries } = watchQueries(db);
  const [lease] = await acquireLeases(watched, { now: 0, leaseMs: 100, horizonMs: 1_000, limit: 8 });
  await renewLeases(watched, [lease!], 200);
  await nextDueAt(watched);
  assert.equal(queries.length, 8);
  for (const query of queries) assert.deepEqual(await scansOf(db, query), [], query.sql);
});
