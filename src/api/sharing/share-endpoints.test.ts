import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { shopYaml, type TestApi, testApi } from '../../../test/support/api.ts';

let api: TestApi;
let sessionToken: string;
beforeEach(async () => {
  api = await testApi();
  sessionToken = await api.startShop();
});

const ask = (path: string, more: object = {}) => api.postJson(path, { applicationName: 'shop', sessionToken, ...more });
const known = () => api.get(`/getShareLink?applicationName=shop&sessionToken=${sessionToken}`);
const share = async () => new URL((await ask('/shareDeployment')).body.url);
const shown = ({ pathname }: URL) => api.get(`/api${pathname}`);

test('a share link is created once, returned again, and invalid after it is revoked; the next one differs', async () => {
  assert.equal((await known()).body.code, 'share_not_found');
  const [one, same] = await Promise.all([share(), share()]);
  assert.match(one.pathname, /^\/shared\/share_[\w-]{32}$/);
  assert.equal(same.href, one.href);
  assert.equal((await known()).body.url, one.href);
  assert.equal((await shown(one)).status, 200);
  assert.match((await ask('/unshareDeployment')).body.message, /is revoked/);
  const gone = await shown(one);
  assert.deepEqual([gone.status, gone.body.code], [404, 'share_not_found']);
  assert.equal((await api.get(one.pathname, { accept: 'text/html' })).status, 404);
  assert.match((await ask('/unshareDeployment')).body.message, /had no share link/);
  const next = await share();
  assert.notEqual(next.href, one.href);
  assert.equal((await shown(one)).status, 404);
});

test('it shows how the deployment does, and no reason, image, configuration, line or token', async () => {
  const secrets = ['because-of-a-secret', 'nginx', 'last-line'];
  const pods = [
    {
      name: 'web',
      state: 'failed',
      image: 'nginx:1',
      revision: 1,
      restarts: 3,
      message: secrets[0],
      restartedAt: [],
      settledRestarts: [0],
      lastExit: { code: 1, reason: secrets[0], at: 1 },
    },
  ];
  const explanation = JSON.stringify({ kind: 'failed', pods: ['web'], because: secrets[0] });
  const failed = { state: 'failed', explanation, pods: JSON.stringify(pods), lastLines: JSON.stringify([secrets[2]]) };
  await api.service.db
    .updateTable('deployments')
    .set(failed as object)
    .execute();
  const { status, body } = await shown(await share());
  assert.equal(status, 200);
  const { environment } = await api.service.db.selectFrom('deployments').selectAll().executeTakeFirstOrThrow();
  assert.deepEqual(body, {
    applicationName: 'shop',
    url: `http://${environment}-shop.localhost:8080`,
    state: 'failed',
    health: 'failed',
    createdAt: '2026-01-01T12:00:00.000Z',
    expiresAt: '2026-01-01T14:00:00.000Z',
    pods: [{ name: 'web', state: 'failed' }],
  });
});

test('of one that has ended it says that alone', async () => {
  const link = await share();
  api.clock.now += 3 * 3_600_000;
  const { body } = await shown(link);
  assert.deepEqual([body.state, body.health, body.pods], ['expired', 'expired', []]);
});

test('its token opens nothing else, and only the owner creates or revokes one', async () => {
  const link = await share();
  const token = link.pathname.split('/').at(-1)!;
  const asOwner = await api.get(`/getDeploymentStatus?applicationName=shop&sessionToken=${token}`);
  assert.equal(asOwner.status, 404);
  const yaml = shopYaml.replace('name: shop', 'name: other');
  const { body } = await api.postYaml('/startUserDeployment', yaml);
  for (const path of ['/shareDeployment', '/unshareDeployment'])
    assert.equal((await ask(path, { sessionToken: body.sessionToken })).status, 404);
  assert.equal((await shown(link)).status, 200);
  const stored = JSON.stringify(await api.service.db.selectFrom('shareLinks').selectAll().execute());
  assert.ok(!stored.includes(token) && !api.lines.some((line) => line.includes(token)));
});
