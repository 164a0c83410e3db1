import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type TestApi, testApi } from '../../../test/support/api.ts';
import { explainJson } from './schema-refusal.ts';

let api: TestApi;
before(async () => {
  api = await testApi();
});

const json = { 'content-type': 'application/json' };
const extend = (body: unknown) => api.postJson('/extendDeployment', body);

test('what is wrong with a request is said in words, with what to do, and never in those of a schema', async () => {
  const answers = {
    'applicationName is missing in the body.': await extend({}),
    'The body must be a JSON object.': await extend([]),
    'applicationName in the body must be a string.': await extend({ applicationName: 5 }),
    'applicationName in the body is empty.': await extend({ applicationName: '' }),
    'sessionToken in the body must have at most 200 characters.': await extend({
      applicationName: 'shop',
      sessionToken: 'x'.repeat(201),
    }),
    'applicationName is missing in the query.': await api.get('/getDeploymentLogs'),
    'applicationName in the query must be given once, as a string.': await api.get(
      '/getDeploymentLogs?applicationName=a&applicationName=b',
    ),
    'tail in the query must be a number of lines, at most 9999.': await api.get(
      '/getDeploymentLogs?applicationName=a&tail=all',
    ),
    'follow in the query must be true or false.': await api.get('/getDeploymentLogs?applicationName=a&follow=1'),
    'last-event-id in the headers must be the id of an event.': await api.get(
      '/getDeploymentEvents?applicationName=a',
      { 'last-event-id': 'x' },
    ),
    'idempotency-key in the headers must have 16 characters or more.': await api.postYaml(
      '/startUserDeployment',
      'a: 1',
      { 'idempotency-key': 'short' },
    ),
  };
  for (const [error, { status, body }] of Object.entries(answers)) {
    assert.deepEqual([status, body.code, body.error], [400, 'invalid_request', error]);
    assert.match(body.hint, /^\S.*\.$|…/);
  }
});

test('a value is never repeated: it may be a token', async () => {
  const secret = 'berth_planted-planted-planted-planted';
  for (const { body } of [
    await extend({ applicationName: { [secret]: secret } }),
    await api.get(`/getDeploymentLogs?applicationName=a&tail=${secret}`),
    await api.postYaml('/extendDeployment', `{"sessionToken": "${secret}", oops`, json),
    await api.postYaml('/extendDeployment', `${secret}`, json),
  ]) {
    assert.equal(body.code, 'invalid_request');
    assert.ok(!JSON.stringify(body).includes('planted'), JSON.stringify(body));
  }
});

test('broken JSON is refused with the error and its place', () => {
  assert.equal(explainJson('{"a": '), 'It ends unexpectedly.');
  assert.equal(explainJson('{"a": 1,}'), 'Line 1, column 9: expected double-quoted property name.');
  assert.equal(explainJson('{\n  "a: 1}'), 'Line 2, column 9: unterminated string.');
  assert.equal(explainJson('{"a": }'), '"}" is out of place.');
  assert.equal(explainJson('hello'), '"h" is out of place.');
  assert.match(explainJson('{"__proto__": 1}'), /__proto__/);
});

test('JSON that wraps something other than a text is refused, in start and validate alike', async () => {
  for (const path of ['/validate', '/startUserDeployment']) {
    for (const wrapped of [{ yaml: 5 }, { yaml: null }, { yamlContent: ['a'] }]) {
      const { status, body } = await api.postJson(path, wrapped);
      assert.deepEqual([status, body.code], [400, 'invalid_request']);
      assert.match(body.error, /^"yaml(?:Content)?" in the body must be a string that holds the configuration\.$/);
    }
    const unfinished = await api.postYaml(path, '{"yaml": "application:', json);
    assert.deepEqual([unfinished.status, unfinished.body.code], [400, 'unparsable_yaml']);
    assert.match(unfinished.body.error, /^The body is not valid JSON\. Line 1, column 23: unterminated string\.$/);
  }
});

test('YAML that calls itself JSON is read all the same', async () => {
  const { body } = await api.postYaml('/validate', '{application: {name: Shop}}', json);
  assert.match(body.errors[0], /^1:2 application\.pods: is missing/);
});
