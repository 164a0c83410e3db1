/** Clients show their password to the token endpoint alone, and a token that opens a little for minutes to the registry. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { tokenMs } from '../../src/api/registry/pushers.ts';
import { digestOf } from '../../src/lib/digest.ts';
import { openImageRegistry } from '../support/image-registry.ts';

const registry = await openImageRegistry();
after(registry.close);
const { namespace, token, sessionId } = await registry.pusher();
const other = await registry.pusher();
const repository = `${namespace}/api`;
const content = Buffer.from('a blob');
const blob = digestOf(content);

async function tokenFor(...scopes: string[]): Promise<string> {
  const query = new URLSearchParams(scopes.map((scope) => ['scope', scope]));
  const answer = await registry.ask('GET', `/v2/token?service=here&account=me&${query}`, { token });
  assert.equal(answer.status, 200);
  const issued = JSON.parse(answer.content.toString());
  assert.equal(issued.token, issued.access_token);
  assert.equal(issued.expires_in, tokenMs / 1000);
  assert.ok(!Number.isNaN(Date.parse(issued.issued_at)));
  return issued.token;
}

const shown = (bearer: string) => ({ headers: { authorization: `Bearer ${bearer}` } });
const upload = (bearer: string, of = repository, query = `digest=${blob}`) =>
  registry.ask('POST', `/v2/${of}/blobs/uploads/?${query}`, { ...shown(bearer), body: content });

test('a request without a token is answered with the token service, and the required access', async () => {
  const realm = `Bearer realm="http://${registry.host}/v2/token",service="${registry.host}"`;
  const challenges = {
    'GET /v2/': realm,
    [`GET /v2/${repository}/manifests/1`]: `${realm},scope="repository:${repository}:pull"`,
    [`POST /v2/${repository}/blobs/uploads/`]: `${realm},scope="repository:${repository}:pull,push"`,
    [`DELETE /v2/${repository}/manifests/1`]: `${realm},scope="repository:${repository}:pull,delete"`,
  };
  for (const [question, challenge] of Object.entries(challenges)) {
    const [method, path] = question.split(' ');
    const { status, headers, error } = await registry.ask(method!, path!);
    assert.deepEqual([status, headers.get('www-authenticate')], [401, challenge], question);
    assert.equal(error?.code, 'UNAUTHORIZED');
  }
  const none = await registry.ask('GET', '/v2/token');
  assert.deepEqual([none.status, none.headers.get('www-authenticate')], [401, 'Basic realm="Berth"']);
  assert.equal((await registry.ask('GET', '/v2/token', { token: 'berth_guess' })).status, 401);
  assert.equal((await registry.ask('POST', '/v2/token', { token })).status, 405);
});

test("a token grants the requested access to the client's own images, for minutes, and gives no other token", async () => {
  const pulling = await tokenFor(`repository:${repository}:pull`);
  const refused = await upload(pulling);
  assert.equal(refused.status, 401);
  assert.match(String(refused.headers.get('www-authenticate')), /:pull,push",error="insufficient_scope"$/);
  const pushing = await tokenFor(`repository:${repository}:pull,push`);
  assert.equal((await upload(pushing)).status, 201);
  assert.equal((await registry.ask('GET', `/v2/${repository}/blobs/${blob}`, shown(pulling))).status, 200);
  assert.equal((await registry.ask('GET', '/v2/', shown(pulling))).status, 200);
  assert.equal((await upload(pushing, `${namespace}/web`)).status, 401);
  assert.equal((await registry.ask('GET', '/v2/token', shown(pushing))).status, 401);

  const everything = await tokenFor(`repository:${other.namespace}/api:*`, `repository:${namespace}/web:*`);
  assert.equal((await registry.ask('GET', `/v2/${other.namespace}/api/tags/list`, shown(everything))).status, 403);
  assert.equal((await upload(everything, `${namespace}/web`)).status, 201);

  registry.clock.aheadMs = tokenMs;
  assert.equal((await registry.ask('GET', '/v2/', shown(pushing))).status, 401);
  registry.clock.aheadMs = 0;
});

test('a mount needs a token for the repository that it takes from', async () => {
  const query = `mount=${blob}&from=${repository}`;
  const narrow = await tokenFor(`repository:${namespace}/mounted:pull,push`);
  assert.equal((await upload(narrow, `${namespace}/mounted`, query)).status, 202);
  const wide = await tokenFor(`repository:${namespace}/mounted:pull,push`, `repository:${repository}:pull`);
  assert.equal((await upload(wide, `${namespace}/mounted`, query)).status, 201);
});

test('a token ends with the password that it was issued for', async () => {
  const pushing = await tokenFor(`repository:${repository}:pull,push`);
  assert.equal((await upload(pushing)).status, 201);
  await registry.service.db
    .updateTable('sessions')
    .set({ tokenEndedAt: Date.now() })
    .where('id', '=', sessionId)
    .execute();
  assert.equal((await upload(pushing)).status, 401);
});
