import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shopYaml, testApi } from '../../../test/support/api.ts';
import { addBan, removeBan } from '../../store/bans.ts';
import { clientHeader } from '../requests/client-address.ts';

const from = (address: string) => ({ [clientHeader]: address });
const named = (name: string, memory = '64Mi') =>
  `application: { name: ${name}, pods: [{ name: web, image: "nginx:1", path: /, servicePorts: [80],` +
  ` resources: { requests: { memory: ${memory} } } }] }`;

test('a stranger may have so many deployments in one session, and from one address', async () => {
  const api = await testApi({ strangers: { perSession: 2, perAddress: 3, memoryBytesPerAddress: 2 ** 40 } });
  const start = (yaml: string, token = '', address = '192.0.2.1') =>
    api.postYaml(`/startUserDeployment?sessionToken=${token}`, yaml, from(address));
  const token = (await start(named('one'))).body.sessionToken;
  assert.equal((await start(named('two'), token)).status, 200);
  const third = await start(named('three'), token);
  assert.deepEqual([third.status, third.body.code], [403, 'client_limit_reached']);
  assert.match(third.body.error, /^This session already has 2 deployments/);

  assert.equal((await start(named('three'))).status, 200);
  const fourth = await start(named('four'));
  assert.deepEqual([fourth.status, fourth.body.code], [403, 'client_limit_reached']);
  assert.match(fourth.body.error, /^From your address 3 unclaimed deployments/);
  assert.equal((await start(named('four'), '', '192.0.2.2')).status, 200);

  // Removed deployments no longer count.
  await api.postJson('/removeDeploymentReservation', { applicationName: 'one', sessionToken: token });
  assert.equal((await start(named('four'))).status, 200);
});

test('deployments from one address have so much memory in all, and an update counts what it adds', async () => {
  const api = await testApi({ strangers: { perSession: 9, perAddress: 9, memoryBytesPerAddress: 256 * 2 ** 20 } });
  const start = (yaml: string) => api.postYaml('/startUserDeployment', yaml, from('192.0.2.1'));
  const { body } = await start(named('one', '128Mi'));
  assert.equal((await start(named('two', '128Mi'))).status, 200);
  const refused = await start(named('three', '64Mi'));
  assert.deepEqual([refused.status, refused.body.code], [403, 'client_limit_reached']);
  assert.match(refused.body.error, /256 MiB of memory in all; they have 256 MiB, and this would add 64 MiB/);
  const update = (memory: string) =>
    api.postYaml(`/updateUserDeployment?sessionToken=${body.sessionToken}`, named('one', memory), from('192.0.2.1'));
  assert.equal((await update('192Mi')).body.code, 'client_limit_reached');
  assert.equal((await update('128Mi')).status, 200);
});

test('a banned address and a banned image are refused at start and update, and allowed again without the ban', async () => {
  const api = await testApi();
  const { db } = api.service;
  const start = (address: string, yaml = shopYaml) => api.postYaml('/startUserDeployment', yaml, from(address));
  const token = (await start('192.0.2.1')).body.sessionToken;
  await addBan(db, { kind: 'address', subject: '192.0.2.0/28', reason: 'spam', createdAt: 0 });
  const update = () => api.postYaml(`/updateUserDeployment?sessionToken=${token}`, shopYaml, from('192.0.2.1'));
  for (const refused of [await start('192.0.2.1'), await update()]) {
    assert.deepEqual([refused.status, refused.body.code], [403, 'banned']);
    assert.doesNotMatch(JSON.stringify(refused.body), /spam/);
  }
  assert.equal((await start('192.0.2.99')).status, 200);
  await removeBan(db, { kind: 'address', subject: '192.0.2.0/28' });
  assert.equal((await update()).status, 200);

  await addBan(db, { kind: 'image', subject: 'docker.io/library/nginx', reason: '', createdAt: 0 });
  const image = await start('192.0.2.1');
  assert.deepEqual([image.status, image.body.code], [403, 'image_banned']);
  assert.match(image.body.error, /nginx:1 is not allowed/);
});

test('every start returns the terms of use, and so does the description of the API', async () => {
  const api = await testApi({ termsUrl: new URL('https://example.com/terms') });
  const { headers, body } = await api.postYaml('/startUserDeployment', shopYaml);
  assert.equal(headers.link, '<https://example.com/terms>; rel="terms-of-service"');
  assert.match(body.message, /subject to https:\/\/example\.com\/terms$/);
  assert.equal((await api.get('/openapi.json')).body.info.termsOfService, 'https://example.com/terms');
});
