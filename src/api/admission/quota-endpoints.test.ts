import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApi } from '../../../test/support/api.ts';
import { clientHeader } from '../requests/client-address.ts';

const from = (address: string) => ({ [clientHeader]: address });

test('a session token can query its limits and usage', async () => {
  const api = await testApi({ strangers: { perSession: 3, perAddress: 7, memoryBytesPerAddress: 2 ** 30 } });
  const sessionToken = await api.startShop();
  const { status, body } = await api.get(`/api/limits?sessionToken=${sessionToken}`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body, {
    plan: null,
    deployments: { used: 1, most: 7 },
    memory: { used: 32 * 2 ** 20, most: 2 ** 30 },
    containers: { used: 1, most: 140 },
    volumes: { used: 0, most: 70 },
    gpus: { used: 0, most: 0 },
    sessionDeployments: { used: 1, most: 3 },
    sessionContainers: { used: 1, most: 60 },
    sessionVolumes: { used: 0, most: 64 },
    deployment: { containers: 60, volumes: 64 },
    lifetimeMinutes: 120,
    reservations: false,
    exec: false,
    extensions: 2,
    extensionMinutes: 120,
    rates: body.rates,
    configurationBytes: 256 * 1024,
    images: body.images,
  });
  assert.match(body.images.namespace, /^s[0-9a-f]{16}$/);
  assert.match(body.images.platform, /^linux\/\w+$/);
  assert.deepEqual(Object.keys(body.rates), ['starts', 'requests']);
  assert.ok(body.rates.starts.most > 0 && body.rates.starts.perSeconds === 60);
});

test('before its first start a client queries without a token; other clients’ deployments are not counted', async () => {
  const api = await testApi();
  await api.startShop();
  const { status, body } = await api.get('/api/limits', from('192.0.2.77'));
  assert.equal(status, 200);
  assert.deepEqual([body.deployments.used, body.memory.used, body.sessionDeployments.used], [0, 0, 0]);
  assert.deepEqual(
    Object.keys(body.images).sort(),
    ['fillsVolumes', 'platform'],
    'a caller without a session has no images',
  );
});

test('an unknown token is refused, not treated as missing', async () => {
  const api = await testApi();
  const { status, body } = await api.get('/api/limits?sessionToken=berth_unknown');
  assert.deepEqual([status, body.code], [404, 'session_not_found']);
});
