/** Overlapping starts through HTTP. Tests the guarantees of the database, not the order of arrival. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { shopYaml, type TestApi, testApi } from '../../../test/support/api.ts';
import { proofHeader, solveProof } from '../../lib/proof-of-work.ts';
import { openSqlite } from '../../store/database.ts';

const count = 20;
const key = { 'idempotency-key': 'a-key-of-some-length' };
const hour = 3_600_000;
const blogYaml = shopYaml.replace('shop', 'blog');

async function listeningApi(t: TestContext, settings: Parameters<typeof testApi>[0] = {}): Promise<TestApi> {
  const api = await testApi(settings);
  t.after(() => api.app.close());
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  return api;
}

/**
 * The service reads the disk use between the request and its transaction. Here the read blocks until all requests have
 * arrived, so that they overlap on any machine.
 */
async function startAtOnce(api: TestApi, yamls: string[], headers: Record<string, string>, token?: string) {
  const { promise: allAreRead, resolve } = Promise.withResolvers<void>();
  let read = 0;
  const count = (request: IncomingMessage) => {
    request.once('end', () => {
      read++;
      if (read === yamls.length) setImmediate(resolve);
    });
  };
  api.app.server.on('request', count);
  api.service.budget = async () => {
    await allAreRead;
    return api.budget;
  };
  const { port } = api.app.server.address() as AddressInfo;
  const query = token === undefined ? '' : `?sessionToken=${token}`;
  const answers = yamls.map(async (body) => {
    const response = await fetch(`http://127.0.0.1:${port}/startUserDeployment${query}`, {
      method: 'POST',
      headers: { 'content-type': 'text/x-yaml', ...headers },
      body,
    });
    // biome-ignore lint/suspicious/noExplicitAny: what a body is, the assertions say
    return { status: response.status, body: (await response.json()) as any };
  });
  return await Promise.all(answers).finally(() => api.app.server.off('request', count));
}

const deploymentsOf = (api: TestApi) => api.service.db.selectFrom('deployments').selectAll().execute();

test('20 starts at once with one Idempotency-Key are one deployment, and all are answered it', async (t) => {
  const api = await listeningApi(t);
  const { body } = await api.send('POST', '/createSession', '', {});
  const answers = await startAtOnce(api, Array(count).fill(shopYaml), key, body.sessionToken);
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(count).fill(200),
  );
  assert.equal(new Set(answers.map(({ body }) => `${body.url} ${body.sessionToken}`)).size, 1);
  assert.equal((await deploymentsOf(api)).length, 1);
  assert.equal((await api.service.db.selectFrom('sessions').selectAll().execute()).length, 1);
  assert.equal(api.woken.length, 1);
});

test('of overlapping starts with one Idempotency-Key and two bodies one body wins, and the other is refused', async (t) => {
  const api = await listeningApi(t);
  const yamls = Array.from({ length: count }, (_, number) => (number % 2 === 0 ? shopYaml : blogYaml));
  const answers = await startAtOnce(api, yamls, key);
  const [deployment, ...more] = await deploymentsOf(api);
  assert.deepEqual(more, []);
  for (const { status, body } of answers) {
    if (status === 200) assert.equal(body.applicationName, deployment!.applicationName);
    else assert.deepEqual([status, body.code], [409, 'idempotency_key_reused']);
  }
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
});

test('of 20 starts at once of one name in one session one starts, and 19 are answered 409', async (t) => {
  const api = await listeningApi(t);
  const token = await api.startShop();
  const answers = await startAtOnce(api, Array(count).fill(blogYaml), {}, token);
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  const refused = answers.filter(({ status }) => status !== 200);
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.code]),
    Array(count - 1).fill([409, 'application_exists']),
  );
  assert.equal((await deploymentsOf(api)).length, 2);
});

test('20 starts at once with one key in a session that exists answer the one that was started, and no 409', async (t) => {
  const api = await listeningApi(t);
  const token = await api.startShop();
  const answers = await startAtOnce(api, Array(count).fill(blogYaml), key, token);
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(count).fill(200),
  );
  assert.equal((await deploymentsOf(api)).length, 2);
});

test('two starts at once with one key and one proof of work are answered the same deployment', async (t) => {
  const api = await listeningApi(t, { proofOfWork: { mode: 'always', cost: 1 } });
  const [asked] = await startAtOnce(api, [shopYaml], {});
  const proof = { [proofHeader]: await solveProof(asked!.body.challenge) };
  const { body } = await api.send('POST', '/createSession', '', {});
  const answers = await startAtOnce(api, [shopYaml, shopYaml], { ...key, ...proof }, body.sessionToken);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  assert.equal((await deploymentsOf(api)).length, 1);
});

test('a start that was refused does not hold its Idempotency-Key, and leaves no session behind', async () => {
  const api = await testApi();
  await api.startShop();
  api.budget.memoryBytes = 48 * 2 ** 20;
  const refused = await api.postYaml('/startUserDeployment', shopYaml, key);
  assert.deepEqual([refused.status, refused.body.code], [503, 'capacity_exhausted']);
  api.budget.memoryBytes = 2 ** 40;
  const { status } = await api.postYaml('/startUserDeployment', blogYaml, key);
  assert.equal(status, 200);
  assert.equal((await api.service.db.selectFrom('sessions').selectAll().execute()).length, 2);
});

test('a name is free again after its time limit, before any visit, and the earlier deployment stays ended', async () => {
  const api = await testApi();
  const token = await api.startShop();
  api.clock.now += hour;
  const start = (yaml: string) => api.postYaml(`/startUserDeployment?sessionToken=${token}`, yaml);
  assert.equal((await start(blogYaml)).status, 200);
  api.clock.now += hour;
  const again = await start(shopYaml);
  assert.equal(again.status, 200, JSON.stringify(again.body));
  // The clock is set back. The first start must not run at the same time as the second.
  api.clock.now -= hour / 2;
  const { body } = await api.get(`/getReservations?sessionToken=${token}`);
  const listed = body.reservedDeployments.map(({ environment }: { environment: string }) => environment);
  assert.equal(listed.length, 2);
  assert.ok(listed.includes(again.body.environment));
});

test('a name is free again after a removal', async () => {
  const api = await testApi();
  const token = await api.startShop();
  const start = (yaml: string) => api.postYaml(`/startUserDeployment?sessionToken=${token}`, yaml);
  await start(blogYaml);
  await api.postJson('/removeDeploymentReservation', { applicationName: 'shop', sessionToken: token });
  assert.equal((await start(shopYaml)).status, 200);
});

const startInProcess = `
  const { testApi, shopYaml } = await import('${new URL('../../../test/support/api.ts', import.meta.url).href}');
  const { openSqlite } = await import('${new URL('../../store/database.ts', import.meta.url).href}');
  const db = await openSqlite(process.argv[1]);
  const api = await testApi({}, undefined, db);
  const headers = { 'idempotency-key': 'a-key-of-some-length' };
  const starts = Array.from({ length: 10 }, () => api.postYaml('/startUserDeployment', shopYaml, headers));
  const answers = await Promise.all(starts);
  process.stdout.write(JSON.stringify(answers.map(({ status, body }) => [status, body.url])));
`;

test('starts with one Idempotency-Key that two processes receive at once are one deployment', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-starts-'));
  const file = join(folder, 'berth.db');
  const db = await openSqlite(file);
  const run = promisify(execFile);
  const argv = ['--input-type=module', '-e', startInProcess, file];
  const ended = await Promise.all([1, 2].map(() => run(process.execPath, argv)));
  const answers: [number, string][] = ended.flatMap(({ stdout }) => JSON.parse(stdout));
  assert.equal(answers.filter(([status]) => status === 200).length, 1);
  assert.equal(answers.filter(([status]) => status === 409).length, answers.length - 1);
  assert.equal((await db.selectFrom('deployments').selectAll().execute()).length, 1);
  await db.destroy();
  await rm(folder, { recursive: true });
});
