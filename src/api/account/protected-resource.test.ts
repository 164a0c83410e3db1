import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApi } from '../../../test/support/api.ts';

test('a 401 points to where it is said how tokens are had, which is without OAuth', async () => {
  const api = await testApi({ baseUrl: new URL('https://berth.test') });
  const refused = await api.get('/getReservations');
  assert.equal(refused.status, 401);
  const [, address] = /^Bearer realm="Berth", resource_metadata="([^"]+)"$/.exec(
    String(refused.headers['www-authenticate']),
  )!;
  const { pathname, origin } = new URL(address!);
  const { status, body } = await api.get(pathname);
  assert.equal(status, 200);
  assert.deepEqual(body, {
    resource: origin,
    resource_name: 'Berth',
    resource_documentation: 'https://berth.test/auth.md',
    bearer_methods_supported: ['header'],
  });
  assert.equal((await api.get(new URL(body.resource_documentation).pathname)).status, 200);
  assert.equal((await api.get(`${pathname}/mcp`)).body.resource, 'https://berth.test/mcp');
});

test('what is not a 401 has no challenge', async () => {
  const api = await testApi();
  for (const path of ['/nothing', '/healthz', '/getReservations?sessionToken=berth_nobody']) {
    assert.equal((await api.get(path)).headers['www-authenticate'], undefined, path);
  }
});
