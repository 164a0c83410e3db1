import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApi } from '../../../test/support/api.ts';
import { storedPeriodMs } from '../../deployment/metrics/deployment-metrics.ts';
import { createMeasured, maxEndedPods } from '../../deployment/metrics/measured.ts';
import { retainedSteps, stepMs } from '../../deployment/metrics/series.ts';
import { noRequests, type WorkloadUse } from '../../deployment/metrics/use.ts';
import { storeMetrics } from '../../store/stored-metrics.ts';
import { clientHeader } from '../requests/client-address.ts';

const operator = { [clientHeader]: '127.0.0.1' };

/** Creates a deployment with two measurements, the last one at the current time. */
async function measuredShop({ measuresPods = true } = {}) {
  const measured = createMeasured();
  let clock = { now: 0 };
  const samples = () => ({ of: (id: string) => measured.of(id, clock.now), totals: measured.totals });
  const api = await testApi({}, undefined, undefined, undefined, { samples });
  clock = api.clock;
  const token = await api.startShop();
  const { id } = await api.service.db.selectFrom('deployments').select('id').executeTakeFirstOrThrow();
  const use = (cpuMs: number): WorkloadUse => ({
    deploymentId: id,
    pod: 'web',
    revision: 1,
    replica: 0,
    startedAt: Date.UTC(2026, 0, 1),
    cpuMs,
    memoryBytes: 1_000,
    receivedBytes: 0,
    sentBytes: 0,
    cpuLimitMillis: 500,
    memoryLimitBytes: 2_000,
  });
  const requests = new Map([
    [id, { requests: 20, clientErrors: 5, serverErrors: 1, tookWithin: [20, ...noRequests.tookWithin.slice(1)] }],
  ]);
  const volumes = [{ deploymentId: id, volume: 'data', usedBytes: 3, sizeBytes: 10 }];
  for (const [cpuMs, elapsedMs] of [
    [0, 0],
    [2_000, stepMs],
  ] as const) {
    await measured.add({ at: clock.now, elapsedMs, uses: measuresPods ? [use(cpuMs)] : undefined, requests, volumes });
    if (elapsedMs === 0) clock.now += stepMs;
  }
  const ask = (query = '', requested = token) =>
    api.get(`/getDeploymentMetrics?applicationName=shop${query}`, { authorization: `Bearer ${requested}` });
  return { api, token, id, ask };
}

test('the owner sees pod usage against the limits, the fill level of volumes and requests to the site', async () => {
  const { ask } = await measuredShop();
  const { status, body } = await ask();
  assert.equal(status, 200);
  assert.deepEqual([body.range, body.stepSeconds, body.message], ['hour', 10, undefined]);
  const [web] = body.pods;
  const { series, now, ...rest } = web;
  assert.deepEqual(rest, {
    name: 'web',
    replica: 0,
    revision: 1,
    startedAt: '2026-01-01T00:00:00.000Z',
    restarts: 0,
    cpuLimitMillis: 500,
    memoryLimitBytes: 2_000,
  });
  assert.deepEqual(now, { cpuMillis: 200, memoryBytes: 1_000, receivedBytesPerSecond: 0, sentBytesPerSecond: 0 });
  assert.deepEqual(series.cpuMillis.slice(-2), [null, 200]);
  assert.equal(series.memoryBytes.length, retainedSteps);
  assert.deepEqual(body.volumes, [{ name: 'data', usedBytes: 3, sizeBytes: 10 }]);
  assert.equal(body.site.series.clientErrorsPerSecond.at(-1), 0.5);
  assert.deepEqual([body.site.now.p50Ms, body.site.now.p95Ms], [2.5, 4.75]);
});

test('another session does not see it', async () => {
  const { api, ask } = await measuredShop();
  const { body } = await api.postYaml(
    '/startUserDeployment',
    'application: { name: other, pods: [{ name: web, image: "nginx:1", path: /, servicePorts: [80] }] }',
  );
  const answer = await ask('', body.sessionToken);
  assert.deepEqual([answer.status, answer.body.code], [404, 'application_not_found']);
});

test('where the engine measures no pods, and where another process measures, the answer says so in words', async () => {
  const { ask } = await measuredShop({ measuresPods: false });
  const { body } = await ask();
  assert.deepEqual(body.pods, []);
  assert.match(body.message, /does not measure the resources of pods/);
  assert.equal(body.site.series.requestsPerSecond.at(-1), 2);
  const alone = await testApi();
  const token = await alone.startShop();
  const answer = await alone.get(`/getDeploymentMetrics?applicationName=shop&sessionToken=${token}`);
  assert.equal(answer.status, 200);
  assert.match(answer.body.message, /Another process/);
});

test('a claimed deployment shows the last day, from the store', async () => {
  const { api, id, ask } = await measuredShop();
  const refused = await ask('&range=day');
  assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_request']);
  await api.service.db.updateTable('deployments').set({ claimedAt: 1 }).execute();
  const at = (Math.floor(api.clock.now / storedPeriodMs) - 2) * storedPeriodMs;
  const site = { requestsPerSecond: 1.5, clientErrorsPerSecond: 0, serverErrorsPerSecond: 0, p50Ms: 3, p95Ms: null };
  const pod = { cpuMillis: 12.3456, memoryBytes: 7, receivedBytesPerSecond: null, sentBytesPerSecond: 1 };
  await storeMetrics(api.service.db, 'this', new Map([[id, { at, pods: { 'web/0': pod, 'old/1': pod }, site }]]));
  const { body } = await ask('&range=day');
  assert.deepEqual([body.range, body.stepSeconds], ['day', 300]);
  assert.deepEqual(
    body.pods.map(({ name, replica }: { name: string; replica: number }) => [name, replica]),
    [
      ['old', 1],
      ['web', 0],
    ],
  );
  assert.deepEqual(body.pods[1].series.cpuMillis.slice(-3), [null, 12.346, null]);
  assert.equal(body.pods[1].now.cpuMillis, 200);
  assert.deepEqual(body.site.series.requestsPerSecond.slice(-2), [1.5, null]);
  assert.equal(body.site.series.p50Ms.length, 288);
});

test('of pods with frequently changing names within the day, the last ended ones are shown', async () => {
  const { api, id, ask } = await measuredShop();
  await api.service.db.updateTable('deployments').set({ claimedAt: 1 }).execute();
  const period = Math.floor(api.clock.now / storedPeriodMs) - 1;
  const site = { requestsPerSecond: 1, clientErrorsPerSecond: 0, serverErrorsPerSecond: 0, p50Ms: 3, p95Ms: null };
  const pod = { cpuMillis: 1, memoryBytes: 7, receivedBytesPerSecond: null, sentBytesPerSecond: 1 };
  for (let past = 0; past < 7; past++) {
    const pods = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`p${past}x${index}/0`, pod]));
    await storeMetrics(api.service.db, 'this', new Map([[id, { at: (period - past) * storedPeriodMs, pods, site }]]));
  }
  const { body } = await ask('&range=day');
  const names: string[] = body.pods.map(({ name }: { name: string }) => name);
  assert.equal(names.length, maxEndedPods + 1);
  assert.ok(names.includes('web') && names.includes('p5x9') && !names.some((name) => name.startsWith('p6')));
});

test('only the operator reads the measurements of every deployment in Prometheus’ format', async () => {
  const { api, id } = await measuredShop();
  for (const headers of [{}, { [clientHeader]: '192.0.2.1' }])
    assert.equal((await api.get('/metrics/deployments', headers)).status, 404);
  const { status, body, headers } = await api.get('/metrics/deployments', operator);
  assert.equal(status, 200);
  assert.match(String(headers['content-type']), /^text\/plain/);
  const environment = /environment="([a-z-]+)"/.exec(body)?.[1];
  const labels = `deployment="${id}",application="shop",environment="${environment}"`;
  for (const line of [
    `berth_pod_cpu_seconds_total{${labels},pod="web",replica="0"} 2`,
    `berth_pod_memory_limit_bytes{${labels},pod="web",replica="0"} 2000`,
    `berth_volume_used_bytes{${labels},volume="data"} 3`,
    `berth_site_requests_total{${labels}} 40`,
    `berth_site_errors_total{${labels},class="5xx"} 2`,
    `berth_site_answer_seconds{${labels},quantile="0.5"} 0.0025`,
  ])
    assert.ok(body.split('\n').includes(line), `${line}\n${body}`);
  // The others have no names in them.
  assert.ok(!(await api.get('/metrics', operator)).body.includes('shop'));
});
