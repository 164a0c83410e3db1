import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApi } from '../../../test/support/api.ts';
import { clientHeader } from '../requests/client-address.ts';

const from = (address: string) => ({ [clientHeader]: address });

test('without a token the metrics are served to this machine only', async () => {
  const api = await testApi();
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) {
    assert.equal((await api.get('/metrics', from(address))).status, 200, address);
  }
  const nowhere = await api.get('/no/such/path', from('192.0.2.1'));
  for (const headers of [from('192.0.2.1'), from('127.0.0.1.example'), from('127.1'), {}]) {
    const { status, body } = await api.get('/metrics', headers);
    assert.equal(status, 404, JSON.stringify(headers));
    assert.deepEqual(body, nowhere.body);
  }
});

test('with a token they are served only to clients with it', async () => {
  const metricsToken = 'a token that has thirty-two characters'.replaceAll(' ', '-');
  const api = await testApi({ metricsToken });
  const status = async (headers: Record<string, string>) => (await api.get('/metrics', headers)).status;
  assert.equal(await status({ authorization: `Bearer ${metricsToken}` }), 200);
  assert.equal(await status({ authorization: 'Bearer another' }), 404);
  assert.equal(await status(from('127.0.0.1')), 404);
});

test('deployments are counted by state, requests timed by route, and no name or token is in a label', async () => {
  const api = await testApi();
  const token = await api.startShop();
  await api.get(`/getDeploymentStatus?applicationName=shop&sessionToken=${token}`);
  await api.get('/secret-path-of-a-stranger');
  const { body, headers } = await api.get('/metrics', from('::1'));
  assert.match(String(headers['content-type']), /^text\/plain/);
  assert.match(body, /^berth_deployments\{state="deploying"\} 1$/m);
  assert.match(body, /^berth_deployments\{state="running"\} 0$/m);
  assert.match(body, /^berth_committed\{resource="memory"\} 33554432$/m);
  assert.match(body, /^berth_last_backup_seconds 0$/m);
  assert.match(body, /_count\{method="GET",route="\/getDeploymentStatus",status="200"\} 1$/m);
  assert.match(body, /_count\{method="GET",route="unknown",status="404"\} 1$/m);
  for (const own of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])
    assert.match(body, new RegExp(`^${own} \\d`, 'm'));
  for (const secret of [token, 'shop', 'secret-path', 'localhost']) assert.ok(!body.includes(secret), secret);
});
