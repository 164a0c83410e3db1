import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestApi, testApi } from '../../../test/support/api.ts';

let api: TestApi;
before(async () => {
  api = await testApi();
});
after(() => api.app.close());

const documentWith = (name: string, line: string) => `application:
  name: ${name}
  pods:
    - name: web
      image: me/web:1
      path: /
      servicePorts: [8080]
      ${line}
    - name: api
      image: me/api:1
      servicePorts: [3000]
    - name: db
      image: postgres:16
      servicePorts: [5432]
      vars: { POSTGRES_PASSWORD: pw }
`;

for (const [name, mistake, correct] of [
  ['unknown', 'vars: { DB_HOST: postgres }', 'vars: { DB_HOST: db.pod }'],
  ['local', 'vars: { DB_HOST: localhost }', 'vars: { DB_HOST: db.pod }'],
  ['sibling', 'vars: { API_ADDR: "localhost:3000" }', 'vars: { API_ADDR: "api.pod:3000" }'],
  ['misspelled', 'comand: node server.js', 'command: node server.js'],
] as const)
  test(`an agent corrects "${mistake}" with one call, and starts the application with the second`, async () => {
    const checked = await api.postYaml('/validate?fix=true', documentWith(name, mistake));
    assert.equal(checked.body.fixed, documentWith(name, correct));
    const { status, body } = await api.postYaml('/startUserDeployment', checked.body.fixed);
    assert.equal(status, 200);
    const codes = (body.diagnostics ?? []).map(({ code }: { code: string }) => code);
    for (const code of ['unknown-host', 'localhost-reference', 'unknown-key'])
      assert.ok(!codes.includes(code), JSON.stringify(body.diagnostics));
  });
