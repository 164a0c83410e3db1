import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { shopYaml, type TestApi, testApi } from '../../test/support/api.ts';

let api: TestApi;
before(async () => {
  api = await testApi();
});

const yaml = 'text/x-yaml';
const json = 'application/json';
const bomb = `a: &a [x,x,x,x,x,x,x,x,x]
b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]
c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]
d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]
application: [*d,*d,*d,*d,*d,*d,*d,*d,*d]
`;

type Bad = [
  title: string,
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  type: string,
  body: string,
  status: number,
  code: string,
];

const requests: Bad[] = [
  ['an empty body', 'POST', '/startUserDeployment', yaml, '', 400, 'invalid_request'],
  ['text that is not YAML', 'POST', '/startUserDeployment', yaml, 'a: b: c: [', 400, 'unparsable_yaml'],
  ['text that is not YAML, to validate', 'POST', '/validate', yaml, '\t- a: [', 400, 'unparsable_yaml'],
  ['a YAML bomb', 'POST', '/startUserDeployment', yaml, bomb, 400, 'unparsable_yaml'],
  ['deep nesting', 'POST', '/validate', yaml, '['.repeat(100_000), 400, 'unparsable_yaml'],
  [
    'a configuration without pods',
    'POST',
    '/startUserDeployment',
    yaml,
    'application: {name: shop}',
    400,
    'invalid_configuration',
  ],
  ['5 MB', 'POST', '/startUserDeployment', yaml, 'a'.repeat(5_000_000), 413, 'payload_too_large'],
  [
    'an unknown content type',
    'POST',
    '/startUserDeployment',
    'application/x-www-form-urlencoded',
    shopYaml,
    415,
    'unsupported_media_type',
  ],
  [
    'an unknown content type for JSON',
    'POST',
    '/extendDeployment',
    'application/xml',
    '<a/>',
    415,
    'unsupported_media_type',
  ],
  [
    'an unknown token at start',
    'POST',
    '/startUserDeployment?sessionToken=berth_x',
    yaml,
    shopYaml,
    404,
    'session_not_found',
  ],
  [
    'an unknown token at update',
    'POST',
    '/updateUserDeployment?sessionToken=berth_x',
    yaml,
    shopYaml,
    404,
    'session_not_found',
  ],
  ['an unknown token in the list', 'GET', '/getReservations?sessionToken=berth_x', '', '', 404, 'session_not_found'],
  ['no token', 'GET', '/getReservations', '', '', 401, 'missing_token'],
  [
    'a token that is there twice',
    'GET',
    '/getReservations?sessionToken=a&sessionToken=b',
    '',
    '',
    400,
    'invalid_request',
  ],
  ['broken JSON', 'POST', '/extendDeployment', json, '{"applicationName": ', 400, 'invalid_request'],
  ['an empty JSON body', 'POST', '/extendDeployment', json, '', 400, 'invalid_request'],
  ['a missing name', 'POST', '/claimDeployment', json, '{"sessionToken": "berth_x"}', 400, 'invalid_request'],
  [
    'a name that is not a string',
    'POST',
    '/claimDeployment',
    json,
    '{"applicationName": {}, "sessionToken": "berth_x"}',
    400,
    'invalid_request',
  ],
  ['a JSON list', 'POST', '/removeReservations', json, '[]', 400, 'invalid_request'],
  [
    'prototype pollution',
    'POST',
    '/removeReservations',
    json,
    '{"__proto__": {"sessionToken": "x"}}',
    400,
    'invalid_request',
  ],
  ['a wrong method', 'GET', '/startUserDeployment', '', '', 405, 'method_not_allowed'],
  ['another wrong method', 'DELETE', '/getReservations', '', '', 405, 'method_not_allowed'],
  ['a wrong method with a slash at the end', 'GET', '/validate/', '', '', 405, 'method_not_allowed'],
  ['a path that is a pattern to the router', 'GET', '/*/x', '', '', 404, 'not_found'],
  ['another such path', 'GET', '/:a(', '', '', 404, 'not_found'],
  ['no path at all', 'GET', '*', '', '', 404, 'not_found'],
  ['an unknown path', 'GET', '/nothing', '', '', 404, 'not_found'],
  ['an unknown path that is sent a text', 'POST', '/nothing', 'text/x-yaml', 'a: b', 404, 'not_found'],
  ['an address that cannot be decoded', 'GET', '/%zz', '', '', 400, 'invalid_request'],
];

for (const [title, method, url, type, body, status, code] of requests) {
  test(`${title} is refused with ${status} ${code} and changes nothing`, async () => {
    const response = await api.app.inject({
      method,
      url,
      ...(method === 'POST' && { payload: body, headers: { 'content-type': type } }),
    });
    assert.equal(response.statusCode, status, response.body);
    const problem = response.json();
    assert.equal(problem.code, code);
    assert.equal(typeof problem.error, 'string');
    const { count } = await api.service.db
      .selectFrom('deployments')
      .select((eb) => eb.fn.countAll().as('count'))
      .executeTakeFirstOrThrow();
    assert.equal(Number(count), 0);
  });
}

test('a fault returns 500 with a reference and no internals', async () => {
  const broken = await testApi();
  const token = await broken.startShop();
  await broken.service.db.destroy();
  const { status, body } = await broken.get(`/getReservations?sessionToken=${token}`);
  assert.deepEqual([status, body.code], [500, 'internal']);
  assert.match(body.error, /^The service failed to answer\. Reference: [a-z0-9]+\.$/);
});

test('a compressed body is refused as such, and not read as a text that makes no sense', async () => {
  for (const path of ['/startUserDeployment', '/validate', '/extendDeployment']) {
    const headers = { 'content-type': yaml, 'content-encoding': 'gzip' };
    const answer = await api.app.inject({ method: 'POST', url: path, payload: gzipSync(shopYaml), headers });
    assert.deepEqual([answer.statusCode, answer.json().code], [415, 'unsupported_media_type'], path);
    assert.match(answer.json().hint, /without Content-Encoding/);
  }
  const plain = { 'content-type': yaml, 'content-encoding': 'identity' };
  const answer = await api.app.inject({ method: 'POST', url: '/validate', payload: shopYaml, headers: plain });
  assert.equal(answer.statusCode, 200);
});
