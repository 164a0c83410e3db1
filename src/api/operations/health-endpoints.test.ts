import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApi } from '../../../test/support/api.ts';
import { EngineFault } from '../../engine/engine.ts';

test('the service is ready while its engine answers, and says so when it does not', async () => {
  const { service, get } = await testApi();
  assert.deepEqual((await get('/readyz')).body, { status: 'ok' });
  service.engine = {
    ...service.engine,
    ping: async () => {
      throw new EngineFault('unavailable', 'The container engine does not respond.');
    },
  };
  const { status, headers, body } = await get('/readyz');
  assert.deepEqual([status, headers['retry-after'], body.code], [503, '5', 'engine_unreachable']);
  assert.equal(body.error, 'The container engine does not respond.');
  assert.ok(body.hint);
  const { status: alive, body: reported } = await get('/healthz');
  assert.deepEqual([alive, reported.status], [200, 'ok']);
  assert.match(reported.version, /^\d+\.\d+\.\d+$/);
});

test('the service is not ready while a certificate is late', async () => {
  const { service, get } = await testApi();
  const expiresAt = service.now() + 1_000;
  service.certificates = () => ({
    served: [{ hosts: ['localhost'], expiresAt, lateAt: service.now() }],
    missing: 0,
    failing: 0,
    isReady: true,
    isRenewed: true,
    waiting: new Map(),
  });
  const { status, body } = await get('/readyz');
  assert.deepEqual([status, body.code], [503, 'certificate_late']);
  assert.match(body.error, /^1 of 1 certificates/);
});
