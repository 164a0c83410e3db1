/** The shapes of requests that clients of the interface send. Each of them must keep working. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { shopYaml, type TestApi, testApi } from '../../../test/support/api.ts';

let api: TestApi;
let token: string;
beforeEach(async () => {
  api = await testApi();
  token = await api.startShop();
});

const blogYaml = shopYaml.replace('name: shop', 'name: blog');
const json = 'application/json';
type Shape = { title: string; path: string; type?: string; auth?: boolean; body?: string };

async function send({ path, type, auth, body }: Shape) {
  const response = await api.app.inject({
    method: 'POST',
    url: path.replace('TOKEN', token),
    headers: { ...(type && { 'content-type': type }), ...(auth && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { payload: body.replace('TOKEN', token) }),
  });
  return { status: response.statusCode, body: response.json(), text: response.body };
}

const wrapped = (field: string, yaml: string, more: object = {}) => JSON.stringify({ [field]: yaml, ...more });

describe('a start in the session of a token', () => {
  const path = '/startUserDeployment';
  const shapes: Shape[] = [
    { title: 'YAML, token in the query', path: `${path}?sessionToken=TOKEN`, type: 'text/x-yaml', body: blogYaml },
    { title: 'application/x-yaml', path: `${path}?sessionToken=TOKEN`, type: 'application/x-yaml', body: blogYaml },
    { title: 'no content type', path: `${path}?sessionToken=TOKEN`, body: blogYaml },
    { title: 'a trailing slash', path: `${path}/?sessionToken=TOKEN`, type: 'text/x-yaml', body: blogYaml },
    { title: 'token as Bearer', path, auth: true, type: 'text/x-yaml', body: blogYaml },
    { title: 'token in the path', path: `${path}/TOKEN`, type: 'text/x-yaml', body: blogYaml },
    { title: 'token in the path, no content type', path: `${path}/TOKEN`, body: blogYaml },
    { title: 'token in the path, a trailing slash', path: `${path}/TOKEN/`, type: 'text/x-yaml', body: blogYaml },
    { title: 'token in the path, JSON', path: `${path}/TOKEN`, type: json, body: wrapped('yaml', blogYaml) },
    {
      title: 'JSON with yaml and the token',
      path,
      type: json,
      body: wrapped('yaml', blogYaml, { sessionToken: 'TOKEN' }),
    },
    {
      title: 'JSON with yamlContent and the token',
      path,
      type: json,
      body: wrapped('yamlContent', blogYaml, { sessionToken: 'TOKEN' }),
    },
    {
      title: 'JSON with yaml, token in the query',
      path: `${path}?sessionToken=TOKEN`,
      type: json,
      body: wrapped('yaml', blogYaml),
    },
  ];
  for (const shape of shapes) {
    test(shape.title, async () => {
      const { status, body, text } = await send(shape);
      assert.equal(status, 200, text);
      assert.deepEqual([body.applicationName, body.sessionToken, body.warnings], ['blog', token, []]);
    });
  }
});

describe('an update', () => {
  const path = '/updateUserDeployment';
  const shapes: Shape[] = [
    { title: 'YAML, token in the query', path: `${path}?sessionToken=TOKEN`, type: 'text/x-yaml', body: shopYaml },
    { title: 'no content type', path: `${path}?sessionToken=TOKEN`, body: shopYaml },
    { title: 'a trailing slash', path: `${path}/?sessionToken=TOKEN`, type: 'application/x-yaml', body: shopYaml },
    { title: 'token in the path', path: `${path}/TOKEN`, type: 'text/x-yaml', body: shopYaml },
    {
      title: 'JSON with yamlContent, the token and what updates do not need',
      path,
      type: json,
      body: wrapped('yamlContent', shopYaml, { sessionToken: 'TOKEN', applicationName: 'shop' }),
    },
  ];
  for (const shape of shapes) {
    test(shape.title, async () => {
      const { status, body, text } = await send(shape);
      assert.equal(status, 200, text);
      assert.deepEqual([body.status.revision, body.warnings], [2, []]);
    });
  }
});

describe('requests about an application', () => {
  const named = '{"applicationName":"shop"}';
  const both = '{"applicationName":"shop","sessionToken":"TOKEN"}';
  const paths = ['/extendDeployment', '/claimDeployment', '/removeDeploymentReservation', '/removeReservations'];
  for (const path of paths) {
    const shapes: Shape[] = [
      { title: 'both in the body', path, type: json, body: both },
      { title: 'with a charset', path, type: `${json}; charset=utf-8`, body: both },
      { title: 'a trailing slash', path: `${path}/`, type: json, body: both },
      { title: 'no content type', path, body: both },
      { title: 'token in the query', path: `${path}?sessionToken=TOKEN`, type: json, body: named },
      { title: 'token as Bearer', path, auth: true, type: json, body: named },
      {
        title: 'all in the query, an empty object',
        path: `${path}?sessionToken=TOKEN&applicationName=shop`,
        body: '{}',
      },
      { title: 'all in the query, no body', path: `${path}?sessionToken=TOKEN&applicationName=shop` },
    ];
    for (const shape of shapes) {
      test(`${path}: ${shape.title}`, async () => {
        const { status, text } = await send(shape);
        assert.equal(status, 200, text);
        assert.doesNotMatch(text, /is unknown and was ignored/);
      });
    }
  }
});

test('what the body says comes before what the query says', async () => {
  const path = '/extendDeployment?sessionToken=berth_nobody&applicationName=nothing';
  const body = '{"applicationName":"shop","sessionToken":"TOKEN"}';
  assert.equal((await send({ title: '', path, type: json, body })).status, 200);
});

test('a token of another form is refused wherever it stands, and a path without one is the path before it', async () => {
  const long = `/startUserDeployment/${'x'.repeat(201)}`;
  assert.equal((await send({ title: '', path: long, type: 'text/x-yaml', body: blogYaml })).body.code, 'not_found');
  const unknown = await send({ title: '', path: '/startUserDeployment/berth_x', type: 'text/x-yaml', body: blogYaml });
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'session_not_found']);
  const number = await send({
    title: '',
    path: '/startUserDeployment',
    type: json,
    body: wrapped('yaml', blogYaml, { sessionToken: 7 }),
  });
  assert.deepEqual([number.status, number.body.code], [400, 'invalid_request']);
  const none = await send({ title: '', path: '/startUserDeployment/', type: 'text/x-yaml', body: blogYaml });
  assert.notEqual(none.body.sessionToken, token);
});

test('a token counts against its own limit wherever it stands, and no log line holds it', async () => {
  api = await testApi({ rate: { count: 3, windowMs: 60_000 } });
  token = await api.startShop();
  const places: Shape[] = [
    { title: '', path: '/startUserDeployment/TOKEN?dryRun=true', body: blogYaml },
    {
      title: '',
      path: '/startUserDeployment?dryRun=true',
      type: json,
      body: wrapped('yaml', blogYaml, { sessionToken: 'TOKEN' }),
    },
    { title: '', path: '/startUserDeployment?dryRun=true&sessionToken=TOKEN', body: blogYaml },
  ];
  for (const place of places) assert.equal((await send(place)).status, 200);
  for (const place of places) assert.match((await send(place)).body.error, /Too many requests with this token/);
  assert.ok(!api.lines.join('').includes(token));
});
