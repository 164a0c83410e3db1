/** Remarks and links in the answers to starts and updates. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { shopYaml, type TestApi, testApi } from '../../../test/support/api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
});

/** A typo that starts a container with another command than intended. */
const oddYaml = shopYaml.replace('      path: /\n', '      path: /\n      comand: node server.js\n');
const odd = (text: string) => /comand/.test(text);
const changes = async () => {
  const tables = ['deployments', 'sessions', 'revisions', 'events', 'idempotency', 'leases', 'origins'] as const;
  const rows = await Promise.all(tables.map((table) => api.service.db.selectFrom(table).selectAll().execute()));
  return JSON.stringify([rows, api.woken]);
};

test('a start and an update return warnings and diagnostics as validate does', async () => {
  const checked = await api.postYaml('/validate', oddYaml);
  const started = await api.postYaml('/startUserDeployment', oddYaml);
  const token = started.body.sessionToken;
  const updated = await api.postYaml(`/updateUserDeployment?sessionToken=${token}`, oddYaml);
  const previewed = await api.postYaml(`/previewUserDeployment?sessionToken=${token}`, oddYaml);
  assert.ok(checked.body.warnings.some(odd));
  for (const { status, body } of [started, updated, previewed]) {
    assert.equal(status, 200);
    assert.deepEqual(body.warnings, checked.body.warnings);
    assert.deepEqual(body.diagnostics, checked.body.diagnostics);
  }
  const [diagnostic] = started.body.diagnostics.filter(({ code }: { code: string }) => code === 'unknown-field');
  assert.match(diagnostic.hint, /command/);
  assert.ok(diagnostic.fix);
});

test('an update of an existing database reports which variables it ignores, and so does its preview', async () => {
  const yaml = (password: string) => `application:
  name: shop
  pods:
    - { name: web, image: "nginx:1", path: /, servicePorts: [80] }
    - name: db
      image: postgres:17
      servicePorts: [5432]
      vars: { POSTGRES_PASSWORD: ${password} }
      volumes: [{ name: data, size: 1Gi, mountPath: /var/lib/postgresql/data }]
`;
  const { sessionToken } = (await api.postYaml('/startUserDeployment', yaml('hunter-one-0123'))).body;
  const update = async (password: string, query = '') =>
    (await api.postYaml(`/updateUserDeployment?sessionToken=${sessionToken}${query}`, yaml(password))).body.warnings;
  const says = /pod db: POSTGRES_PASSWORD is read only when the database is created: .*keeps the old value \(change it/;
  for (const query of ['&dryRun=true', '']) {
    const reported = await update('hunter-two-0123', query);
    assert.match(reported.join(), says);
    assert.doesNotMatch(reported.join(), /hunter/);
  }
  assert.doesNotMatch((await update('hunter-two-0123')).join(), /keeps the old/);
});

test('a note is returned as a value, and does not count as a warning', async () => {
  const yaml = shopYaml.replace(/$/, '      vars:\n        SESSION_SECRET: "${SESSION_SECRET}"\n');
  const checked = await api.postYaml('/validate', yaml);
  const started = await api.postYaml('/startUserDeployment', yaml);
  const updated = await api.postYaml(`/updateUserDeployment?sessionToken=${started.body.sessionToken}`, yaml);
  for (const { status, body } of [checked, started, updated]) {
    assert.deepEqual([status, body.warnings], [200, []]);
    const reported = body.diagnostics.map(({ severity, code }: Record<string, string>) => `${severity} ${code}`);
    assert.deepEqual(reported, ['note generated-value']);
  }
});

test('what is said of a document without anything odd is empty, not absent', async () => {
  const { body } = await api.postYaml('/startUserDeployment', shopYaml);
  assert.deepEqual([body.warnings, body.diagnostics], [[], []]);
});

test('a start that is repeated with its Idempotency-Key is answered alike, warnings and links included', async () => {
  const { body: session } = await api.send('POST', '/createSession', '', {});
  const authorization = `Bearer ${session.sessionToken}`;
  const key = { 'idempotency-key': 'a-key-of-some-length', authorization };
  const first = await api.postYaml('/startUserDeployment?tial=1', oddYaml, key);
  const again = await api.postYaml('/startUserDeployment?tial=1', oddYaml, key);
  assert.deepEqual(again.body, first.body);
});

test('with strict=true a field of an unknown name is an error, everywhere', async () => {
  const token = await api.startShop();
  for (const path of [
    '/startUserDeployment?strict=true',
    `/updateUserDeployment?strict=true&sessionToken=${token}`,
    `/previewUserDeployment?strict=true&sessionToken=${token}`,
  ]) {
    const { status, body } = await api.postYaml(path, oddYaml);
    assert.deepEqual([status, body.code], [400, 'invalid_configuration'], path);
    assert.ok(body.errors.some(odd));
    assert.equal(body.diagnostics.find(({ path }: { path: string }) => odd(path)).severity, 'error');
    assert.equal((await api.postYaml(path, shopYaml.replace('nginx:1', 'nginx:1.29'))).status !== 400, true, path);
  }
  const { body } = await api.postYaml('/validate?strict=true&fix=true', oddYaml);
  assert.deepEqual([body.valid, body.errors.some(odd), body.fixedErrors], [false, true, []]);
  assert.match(body.fixed, /command: node server\.js/);
});

test('with strict=true an unknown key of a Compose file is an error too', async () => {
  const compose = 'services:\n  web:\n    image: nginx:1\n    ports: ["80"]\n    comand: x\n';
  const { body } = await api.postYaml('/validate?strict=true', compose);
  assert.deepEqual([body.valid, body.errors.some(odd)], [false, true]);
});

test('without strict=true, and with strict=false, such a document starts', async () => {
  assert.equal((await api.postYaml('/startUserDeployment?strict=false', oddYaml)).status, 200);
});

test('a refused document returns its faults as values, even if it is not YAML or JSON', async () => {
  const token = await api.startShop();
  const json = { 'content-type': 'application/json' };
  for (const path of ['/startUserDeployment', `/updateUserDeployment?sessionToken=${token}`, '/validate']) {
    const { status, body } = await api.postYaml(path, 'application:\n  name: [shop\n');
    assert.deepEqual([status, body.code], [400, 'unparsable_yaml'], path);
    assert.equal(body.diagnostics[0].severity, 'error');
    assert.ok(body.diagnostics[0].line >= 2 && body.diagnostics[0].message.length > 0);
    const broken = await api.postYaml(path, '{"application": {', json);
    assert.deepEqual([broken.status, broken.body.code], [400, 'unparsable_yaml']);
    assert.ok(broken.body.diagnostics.length > 0 && broken.body.errors.length > 0);
  }
  const invalid = await api.postYaml('/startUserDeployment', 'application:\n  name: shop\n');
  assert.equal(invalid.body.errors.length, invalid.body.diagnostics.length);
  assert.match(invalid.body.hint, /^Correct the lines in "errors"\. POST \/validate checks/);
});

test('the refusal of a configuration that can be fixed names the request that fixes it', async () => {
  const manifest = `apiVersion: v1
kind: Pod
metadata: { name: web }
spec: { containers: [{ name: web, image: "nginx:1", ports: [{ containerPort: 80 }] }] }
`;
  const refused = await api.postYaml('/startUserDeployment', manifest);
  assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_configuration']);
  assert.match(refused.body.hint, /^POST \/validate\?fix=true returns/);
  const { fixed } = (await api.postYaml('/validate?fix=true', manifest)).body;
  assert.equal((await api.postYaml('/startUserDeployment', fixed)).status, 200);
});

test('an unknown query parameter is refused where it would be missed, with the name that was meant', async () => {
  const token = await api.startShop();
  const before = await api.get(`/getReservations?sessionToken=${token}`);
  for (const [path, meant] of [
    ['/startUserDeployment?dryrun=true', ' (did you mean dryRun?)'],
    ['/startUserDeployment?dry-run=true', ' (did you mean dryRun?)'],
    [`/updateUserDeployment?sessionToken=${token}&dryrun`, ' (did you mean dryRun?)'],
    ['/startUserDeployment?colour=red', ''],
  ] as const) {
    const { status, body } = await api.postYaml(path, shopYaml);
    const name = /[?&]([a-z-]+)(?:=[a-z]+)?$/.exec(path)![1];
    assert.deepEqual([status, body.code], [400, 'invalid_request'], path);
    assert.equal(body.error, `The query parameter ${name} is unknown${meant}. Nothing was changed.`);
    assert.match(
      body.hint,
      /^This request has the query parameters [^.]*\bdryRun\b[^.]*\. GET \/docs describes them\.$/,
    );
  }
  for (const path of ['/extendDeployment', '/stopApplication', '/removeReservations']) {
    const { status, body } = await api.postJson(`${path}?sesionToken=${token}`, { applicationName: 'shop' });
    assert.deepEqual([status, body.code], [400, 'invalid_request'], path);
  }
  assert.deepEqual((await api.get(`/getReservations?sessionToken=${token}`)).body, before.body);
  // If the body may name the caller, the query may too.
  const extended = await api.postJson(`/extendDeployment?sessionToken=${token}&applicationName=shop`, {});
  assert.equal(extended.status, 200);
});

test('a misspelled path is answered with the one that was probably meant', async () => {
  const { status, body } = await api.postYaml('/startUserDeploymnet', shopYaml);
  assert.deepEqual([status, body.code], [404, 'not_found']);
  assert.equal(body.hint, 'Did you mean POST /startUserDeployment? GET /docs describes all paths.');
  assert.match((await api.get('/getDeploymentLog')).body.hint, /^Did you mean GET \/getDeploymentLogs\?/);
  assert.equal(
    (await api.get('/wp-login.php')).body.hint,
    'GET /llms.txt explains how to deploy. GET /docs describes all paths.',
  );
});

test('an unknown query parameter of a request that changes nothing is a warning, with the name that was meant', async () => {
  const says = (meant: string) => new RegExp(`is unknown and was ignored.*${meant}`);
  const token = await api.startShop();
  const validated = await api.postYaml('/validate?stric=true', shopYaml);
  assert.match(String(validated.headers.warning), /^299 - "The query parameter stric /);
  const who = `sessionToken=${token}&applicationName=shop`;
  for (const [path, meant] of [
    [`/getDeploymentStatus?${who}&waits=60`, 'wait'],
    [`/getReservations?${who}`, ''],
    [`/getDeploymentOutline?${who}&wait=50`, ''],
    [`/getDeploymentConfiguration?${who}&wait=50`, ''],
  ] as const) {
    const { body, headers } = await api.get(path);
    assert.match(body.warnings[0], says(meant), path);
    assert.ok(headers.warning);
  }
  const checked = await api.postYaml('/validate?stric=true', shopYaml);
  assert.match(checked.body.warnings[0], says('strict'));
  const previewed = await api.postYaml(`/previewUserDeployment?sessionToken=${token}&x=1`, shopYaml);
  assert.match(previewed.body.warnings[0], says(''));
});

test('what has no unknown parameter has no warnings of them, and no header', async () => {
  const token = await api.startShop();
  const { body, headers } = await api.get(`/getDeploymentStatus?sessionToken=${token}&applicationName=shop&wait=0`);
  assert.deepEqual(['warnings' in body, headers.warning], [false, undefined]);
});

test('a parameter that is named like a token, or is markup, is not repeated', async () => {
  for (const name of ['berth_planted-planted-planted-planted', '"><script>planted', 'planted\r\nX: y']) {
    const { body, headers } = await api.postYaml(`/validate?${encodeURIComponent(name)}`, shopYaml);
    assert.equal(body.warnings.length, 1);
    const refused = await api.postYaml(`/startUserDeployment?${encodeURIComponent(name)}`, shopYaml);
    assert.equal(refused.body.error, 'A query parameter is unknown. Nothing was changed.');
    assert.ok(!JSON.stringify([body, headers]).includes('planted'), name);
  }
});

test('a dry run of a start says that it would be accepted, and changes nothing', async () => {
  const before = await changes();
  const key = { 'idempotency-key': 'a-key-of-some-length' };
  const { status, body } = await api.postYaml('/startUserDeployment?dryRun=true', oddYaml, key);
  assert.equal(status, 200);
  const { message, warnings, diagnostics, ...rest } = body;
  assert.deepEqual(rest, { applicationName: 'shop', dryRun: true });
  assert.match(message, /can be started.*nothing was changed/);
  assert.ok(warnings.some(odd) && diagnostics.length > 0);
  assert.equal(await changes(), before);
  assert.equal((await api.postYaml('/startUserDeployment', shopYaml, key)).status, 200, 'the key is free');
});

test('a dry run of an update says that it would be accepted, and changes nothing', async () => {
  const token = await api.startShop();
  // The use of a token is recorded once a minute.
  await api.get(`/getReservations?sessionToken=${token}`);
  const before = await changes();
  const { status, body } = await api.postYaml(`/updateUserDeployment?dryRun=true&sessionToken=${token}`, oddYaml);
  assert.deepEqual([status, body.applicationName, body.dryRun], [200, 'shop', true]);
  assert.ok(body.warnings.some(odd));
  assert.equal(await changes(), before);
  const other = await api.postYaml(
    `/updateUserDeployment?dryRun=true&sessionToken=${token}`,
    shopYaml.replace('shop', 'blog'),
  );
  assert.deepEqual([other.status, other.body.code], [404, 'application_not_found']);
});

test('a dry run is refused as the request itself would be: configuration, name, capacity', async () => {
  const token = await api.startShop();
  const dryRun = (yaml: string) => api.postYaml(`/startUserDeployment?dryRun=true&sessionToken=${token}`, yaml);
  const code = async (yaml: string) => (await dryRun(yaml)).body.code;
  assert.equal(await code('application: {}'), 'invalid_configuration');
  assert.equal(await code(shopYaml), 'application_exists');
  const larger = shopYaml.replace('path: /', 'path: /\n      resources: { requests: { memory: 64Mi } }');
  await api.startShop();
  api.budget.memoryBytes = 90 * 2 ** 20;
  assert.equal(await code(shopYaml.replace('shop', 'blog')), 'capacity_exhausted');
  assert.equal(await code(larger.replace('shop', 'blog').replace('64Mi', '91Mi')), 'invalid_configuration');
  const update = await api.postYaml(`/updateUserDeployment?dryRun=true&sessionToken=${token}`, larger);
  assert.equal(update.body.code, 'capacity_exhausted');
});

test('a dry run requires no proof of work', async () => {
  const busy = await testApi({ proofOfWork: { mode: 'always', cost: 1 } });
  assert.equal((await busy.postYaml('/startUserDeployment?dryRun=true', shopYaml)).status, 200);
});

test('a start and an update name what can be done next, without the token, and the message says to keep it', async () => {
  const { body } = await api.postYaml('/startUserDeployment', shopYaml);
  const token = body.sessionToken;
  assert.match(body.message, /Keep the sessionToken/);
  const base = 'http://localhost:8080';
  const links = {
    status: `${base}/getDeploymentStatus?applicationName=shop&wait=50`,
    events: `${base}/getDeploymentEvents?applicationName=shop`,
    logs: `${base}/getDeploymentLogs?applicationName=shop`,
    update: `${base}/updateUserDeployment`,
    claim: `${base}/claimDeployment`,
  };
  assert.deepEqual(body.links, links);
  const updated = await api.postYaml(`/updateUserDeployment?sessionToken=${token}`, shopYaml);
  assert.deepEqual(updated.body.links, links);
  assert.ok(!JSON.stringify([body.links, updated.body.links]).includes(token));
  assert.match(updated.body.message, /sessionToken/);
  // Each link works with the token.
  const bearer = { authorization: `Bearer ${token}` };
  const pathOf = (link: string) => link.slice(base.length);
  assert.equal((await api.get(pathOf(links.logs), bearer)).status, 200);
  assert.equal((await api.postYaml(pathOf(links.update), shopYaml, bearer)).status, 200);
  assert.equal((await api.postJson(pathOf(links.claim), { applicationName: 'shop' }, bearer)).status, 200);
});
