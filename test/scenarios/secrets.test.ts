import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Berth, createBerth, type Started, until } from './berth.ts';

let berth: Berth;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => await berth.destroy());

/** The common beginning of the planted secrets. Only one answer may contain it. */
const planted = /planted-/;

/** Writes its secrets; its second revision fails, and its last lines are shown. */
function tellingYaml(port: number): string {
  return `application:
  name: revealing
  registryLogin: { registry: registry.example, username: me, personalAccessToken: planted-login }
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: node /app/server.mjs
      vars:
        API_TOKEN: planted-token-${port}
        DATABASE_URL: postgresql://shop:planted-password@db.example/shop
      secrets: [{ name: key, fileName: key.pem, data: planted-key }]
      files:
        - path: /app/server.mjs
          content: |
            import { readFileSync } from 'node:fs';
            import { createServer } from 'node:http';
            console.log('env', process.env.API_TOKEN, process.env.DATABASE_URL);
            console.error('key', readFileSync('/var/secrets/key/key.pem', 'utf8'));
            createServer((request, response) => response.end('ok')).listen(${port});
`;
}

test('no secret of a configuration is in any answer but the configuration of its owner', async (t) => {
  const yaml = tellingYaml(3000);
  const answers = new Map<string, string>();
  const started = await berth.postYaml('/startUserDeployment', yaml);
  answers.set('start', started.text);
  const app: Started = started.body;
  await berth.reach(app, 'running');
  const query = `applicationName=revealing&sessionToken=${app.sessionToken}`;
  const ask = async (what: string, path: string) => answers.set(what, (await berth.get(path)).text);

  await until('the pod has written', async () => (await berth.get(`/getDeploymentLogs?${query}`)).text.includes('key'));
  await ask('logs', `/getDeploymentLogs?${query}`);
  const found = async (text: string) =>
    (await berth.get(`/getDeploymentLogs?${query}&search=${encodeURIComponent(text)}`)).text;
  assert.equal(await found('planted-token-3000'), '', 'a search finds no secret');
  assert.match(await found('ENV [Redacted]'), /^\S+ web env \[redacted\] postgresql:[^\n]*\n$/);
  answers.set(
    'preview',
    (await berth.postYaml(`/previewUserDeployment?sessionToken=${app.sessionToken}`, tellingYaml(4000))).text,
  );
  answers.set(
    'update',
    (await berth.postYaml(`/updateUserDeployment?sessionToken=${app.sessionToken}`, tellingYaml(4000))).text,
  );
  const failed = await berth.reach(app, 'failed');
  assert.ok(
    failed.lastLines.some((line: string) => line.includes('[redacted]')),
    failed.message,
  );

  await t.test('the events contain no secret, and the owner’s own configuration has them all', async () => {
    const { body } = await berth.get(`/getDeploymentConfiguration?${query}`);
    assert.equal(body.yaml, tellingYaml(4000));
    const events = JSON.stringify(await berth.eventsUntil(app, /failed/));
    assert.match(events, /\[redacted\]/);
    assert.ok(!planted.test(events), events);
  });

  await ask('status', `/getDeploymentStatus?${query}`);
  await ask('list', `/getReservations?sessionToken=${app.sessionToken}`);
  await ask('outline', `/getDeploymentOutline?${query}`);
  await ask('logs of both revisions', `/getDeploymentLogs?${query}`);
  answers.set('extend', (await berth.postJson('/extendDeployment', app)).text);
  answers.set('claim', (await berth.postJson('/claimDeployment', app)).text);
  const claim = JSON.parse(answers.get('claim')!);
  await ask('claim link', `/api/claims/${claim.claimToken}`);
  await ask('claim page', `/claim/${claim.claimToken}`);
  await ask('schema', '/schema');
  await ask('metrics', '/metrics');
  const site = await berth.visit(app.url, { headers: { accept: 'text/html' } });
  answers.set('site', site.text);
  await berth.remove(app);
  answers.set('the service has logged', berth.log());

  assert.match(answers.get('logs')!, /web env \[redacted\] postgresql:\/\/shop:\[redacted\]@db\.example/);
  assert.match(answers.get('preview')!, /the variable API_TOKEN/);
  for (const [what, text] of answers) assert.ok(!planted.test(text), `${what}: ${text}`);
});
