/**
 * Small in size, expensive in number: the objects that one request, one session and one address can make the host
 * create. The objects are counted, not created. Without limits, each of these would be admitted.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readSpec } from '../../src/config/spec/spec.ts';
import { replicasOf, volumesOf } from '../../src/deployment/desired-volumes.ts';
import { strangers } from '../../src/settings/stranger-settings.ts';
import { type TestApi, testApi } from '../support/api.ts';

/** The limits of a service with default settings. */
const usual = { strangers: strangers('session=10 address=20 memory=8Gi') };

type Wanted = { name?: string; pods: number; volumes: number; replicas: number; more?: string };

function document({ name = 'greedy', pods, volumes, replicas, more = '' }: Wanted): string {
  const volume = (index: number) => `{ name: v${index}, size: "1", mountPath: /v${index} }`;
  const list = Array.from({ length: volumes }, (_, index) => volume(index)).join(', ');
  const pod = (index: number) =>
    `    - { name: p${index}, image: 'a:1', path: /${index}, servicePorts: [80], resourceType: statefulset, replicas: ${replicas}, volumes: [${list}], resources: { limits: { cpu: 10m, memory: 6Mi } }${more} }\n`;
  return `application:\n  name: ${name}\n  pods:\n${Array.from({ length: pods }, (_, index) => pod(index)).join('')}`;
}

/** The objects that the engine would create for the admitted requests. */
async function admitted({ service }: TestApi): Promise<{ volumes: number; containers: number; gpus: number }> {
  const sum = { volumes: 0, containers: 0, gpus: 0 };
  for (const { spec } of await service.db.selectFrom('revisions').select('spec').execute()) {
    const read = readSpec(service.seal.open(spec));
    sum.volumes += volumesOf(read).length;
    for (const pod of read.pods) {
      sum.containers += replicasOf(pod);
      if (pod.useGPU) sum.gpus += replicasOf(pod);
    }
  }
  return sum;
}

describe('one document', () => {
  const many = document({ pods: 50, volumes: 50, replicas: 20 });

  test('of 119 KB requests 50,000 file systems and 1,000 containers, and gets none, in any way', async () => {
    const api = await testApi(usual);
    const one = document({ pods: 1, volumes: 1, replicas: 1 });
    const { sessionToken } = (await api.postYaml('/startUserDeployment', one)).body;
    assert.ok(many.length < 130_000, `${many.length}`);
    for (const path of [
      '/startUserDeployment',
      '/startUserDeployment?dryRun=true',
      `/updateUserDeployment?sessionToken=${sessionToken}`,
      `/updateUserDeployment?dryRun=true&sessionToken=${sessionToken}`,
      '/validate',
    ]) {
      const { status, body } = await api.postYaml(path, many);
      assert.equal(status, path === '/validate' ? 200 : 400, path);
      const reported = body.errors.join('\n');
      assert.match(
        reported,
        /^\d+:\d+ .*1000 containers, and without an account 60 containers are possible at most/m,
        path,
      );
      assert.match(reported, /^\d+:\d+ .*50000 volumes, and without an account 64 volumes are possible at most/m, path);
    }
    assert.deepEqual(await admitted(api), { volumes: 1, containers: 1, gpus: 0 });
  });

  test('has its volumes counted as file systems: one byte each is 16 MiB each', async () => {
    const api = await testApi(usual);
    api.budget.diskBytes = 64 * 16 * 2 ** 20;
    const { status, body } = await api.postYaml(
      '/startUserDeployment',
      document({ pods: 1, volumes: 50, replicas: 1 }),
    );
    assert.equal(status, 200, JSON.stringify(body));
    api.budget.diskBytes = 49 * 16 * 2 ** 20;
    const full = await api.postYaml('/startUserDeployment', document({ pods: 1, volumes: 50, replicas: 1 }));
    assert.deepEqual([full.status, full.body.code], [503, 'capacity_exhausted']);
  });

  test('requests a GPU, and gets one only if the operator allows it without an account', async () => {
    const wanted = document({ pods: 1, volumes: 0, replicas: 1, more: ', useGPU: true' });
    const reported = async (gpusOfServer: number | undefined, gpusOfStrangers: number) => {
      const limits = strangers(`session=10 address=20 memory=8Gi gpus=${gpusOfStrangers}`);
      const api = await testApi({ strangers: limits });
      if (gpusOfServer !== undefined) api.budget.gpus = gpusOfServer;
      const { body } = await api.postYaml('/startUserDeployment', wanted);
      const again = await api.postYaml('/startUserDeployment', wanted);
      const { gpus } = await admitted(api);
      return [body.errors?.[0] ?? 'started', again.body.code ?? 'started', gpus];
    };
    const place = '4:174 application.pods[0].useGPU: the application has 1 GPU, and';
    const advice = '(leave out useGPU (Compose: its gpus or devices); the pod then runs without one)';
    const refused = 'invalid_configuration';
    assert.deepEqual(await reported(undefined, 0), [
      `${place} this server gives no GPUs to applications ${advice}`,
      refused,
      0,
    ]);
    assert.deepEqual(await reported(8, 0), [
      `${place} without an account no GPUs are possible at most ${advice}`,
      refused,
      0,
    ]);
    assert.deepEqual(await reported(8, 1), ['started', 'client_limit_reached', 1]);
    assert.deepEqual(await reported(1, 8), ['started', 'capacity_exhausted', 1]);
    assert.deepEqual(await reported(8, 8), ['started', 'started', 2]);
  });
});

describe('many documents', () => {
  const each = (index: number) => document({ name: `greedy-${index}`, pods: 1, volumes: 32, replicas: 2 });

  test('of one session get no more than its limit, and the refusal contains the limit', async () => {
    const api = await testApi(usual);
    const { sessionToken } = (await api.postYaml('/startUserDeployment', each(0))).body;
    const second = await api.postYaml(`/startUserDeployment?sessionToken=${sessionToken}`, each(1));
    assert.deepEqual([second.status, second.body.code], [403, 'client_limit_reached']);
    assert.match(second.body.error, /this session may have 100 volumes in all; they have 64, and this would add 64/);
    const { body } = await api.get(`/api/limits?sessionToken=${sessionToken}`);
    assert.deepEqual(body.sessionVolumes, { used: 64, most: 100 });
    assert.deepEqual(body.deployment, { containers: 60, volumes: 64 });
  });

  test('of one address get no more than it may have, however many sessions it makes', async () => {
    const api = await testApi(usual);
    for (let index = 0; index < 20; index++) await api.postYaml('/startUserDeployment', each(index));
    assert.deepEqual(await admitted(api), { volumes: 192, containers: 6, gpus: 0 });
    const { body } = await api.get('/api/limits');
    assert.deepEqual(
      [body.volumes, body.containers],
      [
        { used: 192, most: 200 },
        { used: 6, most: 400 },
      ],
    );
  });

  test('of updates that rename their volumes add up to no more: an earlier one has left its own on the host', async () => {
    const api = await testApi(usual);
    const named = (name: string, size = '1') =>
      document({ pods: 1, volumes: 30, replicas: 1, name: 'greedy' })
        .replaceAll('name: v', `name: ${name}`)
        .replaceAll('size: "1"', `size: ${size}`);
    const { sessionToken } = (await api.postYaml('/startUserDeployment', named('a'))).body;
    const update = (yaml: string) => api.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}`, yaml);
    assert.equal((await update(named('b'))).status, 200);
    const third = await update(named('c'));
    assert.deepEqual([third.status, third.body.code], [400, 'invalid_configuration']);
    assert.match(
      third.body.errors[0],
      /volumes: the application has 30 volumes, its earlier revisions have left 60, and without an account 64 volumes are possible at most \(use the same names as before, or /,
    );
    const { body } = await api.get(`/api/limits?sessionToken=${sessionToken}`);
    assert.deepEqual(body.sessionVolumes, { used: 60, most: 100 });
    assert.equal((await update(named('a'))).status, 200, 'those that it has left already');
    api.budget.diskBytes = 1;
    assert.equal((await update(named('b'))).status, 200, 'of the same size');
    const larger = await update(named('b', '1Gi'));
    assert.deepEqual([larger.status, larger.body.code], [503, 'capacity_exhausted']);
  });

  test('of updates of one deployment add up to no more either, and to less at any time', async () => {
    const api = await testApi(usual);
    const sized = (volumes: number) => document({ pods: 1, volumes, replicas: 1 });
    const { sessionToken } = (await api.postYaml('/startUserDeployment', sized(50))).body;
    // As from before there were limits.
    await api.service.db.updateTable('revisions').set({ volumes: 500 }).execute();
    const update = (yaml: string) => api.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}`, yaml);
    assert.equal((await update(sized(40))).status, 200, 'less');
    await api.service.db.updateTable('revisions').set({ volumes: 39 }).execute();
    const more = document({ pods: 2, volumes: 40, replicas: 1 });
    assert.equal((await update(more)).body.code, 'invalid_configuration', 'more');
  });
});
