import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type TestApi, testApi } from '../../../test/support/api.ts';

let api: TestApi;
before(async () => {
  api = await testApi();
});

const flawed =
  'application:\n  name: Shop\n  pods:\n    - name: web\n      image: nginx:latest\n      path: /\n      servicePorts: ["80"]\n';

test('validate returns each problem with its place, code and fix, errors and warnings apart', async () => {
  const { body } = await api.postYaml('/validate', flawed);
  assert.deepEqual([body.valid, body.errors.length, body.warnings.length], [false, 1, 2]);
  assert.equal('fixed' in body, false);
  assert.deepEqual(
    body.diagnostics.map(({ severity, code, path, line, column }: Record<string, unknown>) => [
      severity,
      code,
      path,
      line,
      column,
    ]),
    [
      ['error', 'bad-name', 'application.name', 2, 9],
      ['warning', 'latest-image', 'application.pods[0].image', 5, 14],
      ['warning', 'lenient-value', 'application.pods[0].servicePorts[0]', 7, 22],
    ],
  );
  assert.deepEqual(body.diagnostics[0].fix, { from: 21, to: 25, text: 'shop' });
  assert.equal(body.errors[0], `2:9 application.name: ${body.diagnostics[0].message} (for example shop)`);
});

test('with fix=true the corrected document is answered, and what is still wrong with it', async () => {
  const { body } = await api.postYaml('/validate?fix=true', flawed);
  assert.equal(body.valid, false);
  assert.equal(body.fixed, flawed.replace('Shop', 'shop').replace('"80"', '80'));
  assert.deepEqual(body.fixedErrors, []);
  const rest = await api.postYaml('/validate?fix=true', flawed.replace('path: /', 'path: "/a b"'));
  assert.match(rest.body.fixedErrors[0], /^6:13 application\.pods\[0\]\.path: /);
});

test('invalid YAML is answered with 400, or with 200 and its correction if one was requested and found', async () => {
  const tabbed = flawed.replaceAll('  ', '\t');
  assert.equal((await api.postYaml('/validate', tabbed)).body.code, 'unparsable_yaml');
  const { status, body } = await api.postYaml('/validate?fix=true', tabbed);
  assert.deepEqual([status, body.valid, body.fixedErrors], [200, false, []]);
  assert.match(body.errors[0], /^2:1 the line is indented with a tab/);
  assert.equal((await api.postYaml('/validate?fix=true', 'a: "')).status, 400);
});

test('fix is true or false', async () => {
  assert.equal((await api.postYaml('/validate?fix=maybe', flawed)).body.code, 'invalid_request');
});
