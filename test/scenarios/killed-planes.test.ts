/**
 * Three services on one PostgreSQL and one engine: one after another is killed and restarted without an effect on
 * clients.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTier } from '../tier.ts';
import { visitWhileKilled } from './kill-planes.ts';
import { createPlanes } from './planes.ts';

/** Each of the three services dies in the nightly run. */
const kills = inTier([2], [4]).at(-1)!;

test('all applications answer at every edge while their services are killed in turn', async (t) => {
  // How long a start takes on a busy machine is not what is tried.
  const planes = await createPlanes(3, { BERTH_TIMEOUTS: 'edge=15m' });
  t.after(() => planes[Symbol.asyncDispose]());
  const [first, second] = planes.all as [(typeof planes.all)[number], (typeof planes.all)[number]];
  await first.serve();

  await t.test('a service that uses other addresses for applications is refused next to a living one', async () => {
    await assert.rejects(
      second.serve({ BERTH_BASE_URL: 'http://elsewhere.test' }),
      /calls applications by other addresses/,
    );
  });

  await Promise.all(planes.all.slice(1).map((plane) => plane.serve()));
  const report = await visitWhileKilled(planes, {
    visitors: 6,
    clients: 3,
    pauseMs: 1_000,
    everyMs: 2_000,
    others: 2,
    isEnough: (count) => count >= kills,
  });
  assert.deepEqual(report.failed, []);
  const { faults, lost, failedVisits, answered } = report.clients;
  assert.deepEqual({ faults, lost, failedVisits }, { faults: [], lost: [], failedVisits: [] });
  assert.equal(answered.remove, answered.start, JSON.stringify(report.clients));
  assert.equal(report.kills, kills);
  assert.ok(report.visits > 50, `${report.visits} visits`);
  assert.deepEqual((await first.inventory()).orphans, []);
});
