import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Kysely } from 'kysely';
import type { StoredMetrics } from '../../../src/deployment/metrics/deployment-metrics.ts';
import { addDeployment } from '../../../src/store/deployments.ts';
import type { Tables } from '../../../src/store/rows.ts';
import { addSession } from '../../../src/store/sessions.ts';
import { deleteOldMetrics, storedMetricsSince, storeMetrics } from '../../../src/store/stored-metrics.ts';
import { deploymentOf } from '../../support/deployments.ts';
import type { OpenStore } from './store.ts';

export function storedMetricsContract(open: OpenStore): void {
  let db: Kysely<Tables>;
  beforeEach(async () => {
    db = await open();
    await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
    for (const [id, claimedAt] of [
      ['claimed', 1],
      ['free', null],
    ] as const)
      await addDeployment(db, deploymentOf({ id, label: id, applicationName: id, expiresAt: 1_000, claimedAt }));
  });
  afterEach(async () => await db.destroy());

  const site = { requestsPerSecond: 1.5, clientErrorsPerSecond: 0, serverErrorsPerSecond: 0, p50Ms: 3, p95Ms: null };
  const metrics = (at: number, memoryBytes = 7): StoredMetrics => ({
    at,
    pods: { 'web/0': { cpuMillis: 2, memoryBytes, receivedBytesPerSecond: null, sentBytesPerSecond: 1 } },
    site,
  });

  test('metrics are kept only for claimed deployments', async () => {
    await storeMetrics(db, 'this', new Map(['claimed', 'free', 'unknown'].map((id) => [id, metrics(100)])));
    assert.deepEqual(await storedMetricsSince(db, 'claimed', 0), [metrics(100)]);
    for (const id of ['free', 'unknown']) assert.deepEqual(await storedMetricsSince(db, id, 0), []);
  });

  test('they are returned from an instant on, the oldest first, and forgotten before another one', async () => {
    for (const at of [300, 100, 200]) await storeMetrics(db, 'this', new Map([['claimed', metrics(at)]]));
    const times = async (since: number) => (await storedMetricsSince(db, 'claimed', since)).map(({ at }) => at);
    assert.deepEqual(await times(200), [200, 300]);
    await deleteOldMetrics(db, 200);
    assert.deepEqual(await times(0), [200, 300]);
  });

  test('a process cannot overwrite its five minutes', async () => {
    for (const memoryBytes of [1, 2]) await storeMetrics(db, 'this', new Map([['claimed', metrics(100, memoryBytes)]]));
    assert.deepEqual(await storedMetricsSince(db, 'claimed', 0), [metrics(100, 1)]);
  });

  test('if several processes measured the same five minutes, the pods of all are returned and the sum of all requests', async () => {
    // One of them has no containers, and is the first.
    await storeMetrics(db, 'b', new Map([['claimed', { ...metrics(100), pods: {} }]]));
    await storeMetrics(db, 'a', new Map([['claimed', metrics(100)]]));
    const quiet = {
      requestsPerSecond: 0,
      clientErrorsPerSecond: null,
      serverErrorsPerSecond: 0,
      p50Ms: null,
      p95Ms: null,
    };
    const old = { 'old/1': metrics(0).pods['web/0']! };
    await storeMetrics(db, 'c', new Map([['claimed', { at: 100, pods: old, site: quiet }]]));
    await storeMetrics(db, 'c', new Map([['claimed', metrics(200)]]));
    const together = { at: 100, pods: { ...metrics(100).pods, ...old }, site: { ...site, requestsPerSecond: 3 } };
    assert.deepEqual(await storedMetricsSince(db, 'claimed', 0), [together, metrics(200)]);
  });
}
