import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deploymentOf } from '../../../test/support/deployments.ts';
import { emptyStore } from '../../../test/support/empty-store.ts';
import { storedPeriodMs } from '../../deployment/metrics/deployment-metrics.ts';
import { createMeasured } from '../../deployment/metrics/measured.ts';
import { stepMs } from '../../deployment/metrics/series.ts';
import type { RequestCounts, WorkloadUse } from '../../deployment/metrics/use.ts';
import type { Engine } from '../../engine/engine.ts';
import { addDeployment } from '../../store/deployments.ts';
import { addSession } from '../../store/sessions.ts';
import { storedMetricsSince } from '../../store/stored-metrics.ts';
import { createSampling, startSampler } from './sampler.ts';

const use = (deploymentId: string, cpuMs: number): WorkloadUse => ({
  deploymentId,
  pod: 'web',
  revision: 1,
  replica: 0,
  startedAt: 1,
  cpuMs,
  memoryBytes: 10,
  receivedBytes: 0,
  sentBytes: 0,
});

test('after five minutes, means of what is claimed are in the store, once', async () => {
  const db = await emptyStore();
  await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
  await addDeployment(db, deploymentOf({ id: 'shop', label: 'shop', claimedAt: 1 }));
  let now = 10 * storedPeriodMs;
  let cpuMs = 0;
  const engine: Pick<Engine, 'usage'> = {
    usage: { workloads: async () => [use('shop', cpuMs), use('free', cpuMs)], volumes: async () => [] },
  };
  const measured = createMeasured();
  const look = createSampling({ db, process: 'this', engine, now: () => now, uptime: () => now }, measured);
  for (let step = 0; step <= storedPeriodMs / stepMs + 2; step++) {
    await look();
    now += stepMs;
    cpuMs += stepMs / 4;
  }
  const [kept, ...others] = await storedMetricsSince(db, 'shop', 0);
  assert.deepEqual([kept?.at, kept?.pods['web/0']?.cpuMillis, others], [10 * storedPeriodMs, 250, []]);
  assert.deepEqual(await storedMetricsSince(db, 'free', 0), []);
  await db.destroy();
});

test('if the engine reports nothing about pods, requests are still measured', async () => {
  const db = await emptyStore();
  const counts: RequestCounts = { requests: 30, clientErrors: 0, serverErrors: 0, tookWithin: [30] };
  let now = 0;
  const measured = createMeasured();
  const tallyRequests = async () => new Map(now === 0 ? [] : [['shop', counts]]);
  const look = createSampling(
    { db, process: 'this', engine: {}, tallyRequests, now: () => now, uptime: () => now },
    measured,
  );
  await look();
  now += stepMs;
  await look();
  const { arePodsMeasured, site } = measured.of('shop', now);
  assert.deepEqual([arePodsMeasured, site.now.requestsPerSecond], [false, 3]);
  await db.destroy();
});

test('volumes, pods and requests that cannot be read take nothing from the others, and no request is lost', async () => {
  const db = await emptyStore();
  let now = 0;
  let failing = '';
  const unless = <T>(part: string, value: T) => {
    if (failing === part) throw new Error(part);
    return value;
  };
  const requested: string[] = [];
  const measured = createMeasured();
  const counts = (requests: number): RequestCounts => ({
    requests,
    clientErrors: 0,
    serverErrors: 0,
    tookWithin: [requests],
  });
  const volume = { deploymentId: 'shop', volume: 'data', usedBytes: 3, sizeBytes: 9 };
  let reported = 0;
  const look = createSampling(
    {
      db,
      process: 'this',
      now: () => now,
      uptime: () => now,
      engine: {
        usage: {
          workloads: async () => unless('pods', [use('shop', now)]),
          async volumes() {
            requested.push('volumes');
            return unless('volumes', [volume]);
          },
        },
      },
      tallyRequests: async () => {
        const since = unless('requests', now - reported) / 1_000;
        reported = now;
        return new Map([['shop', counts(since)]]);
      },
    },
    measured,
  );
  await look();
  const seen = () => {
    const { pods, site, volumes, arePodsMeasured } = measured.of('shop', now);
    const last = [pods[0]?.series.memoryBytes.at(-1), site.series.requestsPerSecond.at(-1), volumes.length];
    return [...last, arePodsMeasured];
  };
  const next = async (fails: string) => {
    now += stepMs;
    failing = fails;
    if (fails) await assert.rejects(look, { message: fails });
    else await look();
    return seen();
  };
  assert.deepEqual(await next('pods'), [null, 1, 1, true]);
  assert.deepEqual(await next('requests'), [10, null, 1, true]);
  assert.deepEqual(await next('volumes'), [10, 1, 1, true]);
  assert.deepEqual(await next('volumes'), [10, 1, 1, true]);
  assert.equal([...measured.totals()][0]?.requests.requests, 40);
  // The pods are queried at each sample until they can be read, so their fault is reported once.
  for (let step = 0; step < 4; step++) await next('');
  assert.equal(requested.length, 5);
  await db.destroy();
});

test('a failed measurement is logged once and retried, and ends nothing', async () => {
  const db = await emptyStore();
  const reported: string[] = [];
  const { promise: isWell, resolve } = Promise.withResolvers<void>();
  let looks = 0;
  const workloads = async () => {
    if (++looks < 4) throw new Error('the engine is away');
    resolve();
    return [];
  };
  const sampler = startSampler({
    db,
    process: 'this',
    engine: { usage: { workloads, volumes: async () => [] } },
    now: () => 0,
    uptime: () => 0,
    wait: async () => await new Promise((next) => setImmediate(next)),
    log: { error: (_, message) => void reported.push(message) },
  });
  await isWell;
  await sampler[Symbol.asyncDispose]();
  assert.deepEqual(reported, ['the resource use of deployments cannot be measured; retrying']);
  await db.destroy();
});
