/** Twenty who write at once, through two services on one store: each is answered as if they had come one after another. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Kysely } from 'kysely';
import { actorOf } from '../../../src/admin/actor.ts';
import { ban } from '../../../src/admin/ban-and-unban.ts';
import { addEvents, eventsAfter } from '../../../src/store/events.ts';
import type { Tables } from '../../../src/store/rows.ts';
import { write } from '../../../src/store/transaction.ts';
import { shopYaml, type TestApi, testApi } from '../../support/api.ts';
import type { OpenStore } from './store.ts';

export function writersContract(open: OpenStore): void {
  let db: Kysely<Tables>;
  let services: TestApi[];
  beforeEach(async () => {
    db = await open();
    const settings = { limits: { lifetimeMs: 60_000, extensionMs: 60_000, extensions: 2 } };
    services = await Promise.all([1, 2].map(() => testApi(settings, undefined, db)));
  });
  afterEach(async () => {
    await Promise.all(services.map(({ app }) => app.close()));
    await db.destroy();
  });

  type Answer = Awaited<ReturnType<TestApi['get']>>;
  const atOnce = <T>(work: (api: TestApi, number: number) => Promise<T>) =>
    Promise.all(Array.from({ length: 20 }, (_, number) => work(services[number % 2]!, number)));
  const countOf = (answers: Answer[]) =>
    Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]));
  const bodiesOf = (answers: Answer[]) => answers.map(({ body }) => JSON.stringify(body)).join('\n');
  const deployments = () => db.selectFrom('deployments').selectAll().execute();

  test('20 starts with one Idempotency-Key are one deployment', async () => {
    const headers = { 'idempotency-key': '0199c3f2-7a7e-7c55-9d0e-5f1f3c1f7a11' };
    const answers = await atOnce((api) => api.postYaml('/startUserDeployment', shopYaml, headers));
    assert.deepEqual(countOf(answers), { 200: 20 }, bodiesOf(answers));
    assert.equal(new Set(answers.map(({ body }) => `${body.url} ${body.sessionToken}`)).size, 1);
    assert.equal((await deployments()).length, 1);
    assert.equal((await db.selectFrom('sessions').selectAll().execute()).length, 1);
  });

  test('of 20 starts of one name in one session one is accepted, and nothing is left of the others', async () => {
    const token = await services[0]!.startShop();
    const yaml = shopYaml.replace('shop', 'blog');
    const answers = await atOnce((api) => api.postYaml(`/startUserDeployment?sessionToken=${token}`, yaml));
    assert.deepEqual(countOf(answers), { 200: 1, 409: 19 }, bodiesOf(answers));
    for (const table of ['deployments', 'revisions', 'seeds', 'origins', 'leases'] as const)
      assert.equal((await db.selectFrom(table).selectAll().execute()).length, 2, table);
  });

  test('20 updates are 20 revisions with numbers of their own, and 20 events', async () => {
    const token = await services[0]!.startShop();
    const answers = await atOnce((api) => api.postYaml(`/updateUserDeployment?sessionToken=${token}`, shopYaml));
    assert.deepEqual(countOf(answers), { 200: 20 }, bodiesOf(answers));
    const numbers = Array.from({ length: 21 }, (_, index) => index + 1);
    const revisions = await db.selectFrom('revisions').select('number').orderBy('number').execute();
    assert.deepEqual(
      revisions.map(({ number }) => number),
      numbers,
    );
    const [deployment] = await deployments();
    assert.deepEqual([deployment?.revision, deployment?.generation], [21, 1 + 20]);
    const events = await eventsAfter(db, deployment!.id, 0, 100);
    assert.deepEqual(
      events.map(({ number }) => number),
      numbers,
    );
  });

  test('of 20 extensions as many are made as there are', async () => {
    const sessionToken = await services[0]!.startShop();
    const answers = await atOnce((api) => api.postJson('/extendDeployment', { sessionToken, applicationName: 'shop' }));
    assert.deepEqual(countOf(answers), { 200: 2, 409: 18 }, bodiesOf(answers));
    const [deployment] = await deployments();
    assert.deepEqual([deployment?.extensionsUsed, deployment!.expiresAt! - deployment!.createdAt], [2, 3 * 60_000]);
  });

  test('20 starts for which there is room for three are three', async () => {
    const size = 512 * 2 ** 20;
    for (const { service } of services)
      service.budget = async () => ({ memoryBytes: 3.5 * size, cpuMillis: 1e6, diskBytes: 2 ** 40 });
    const yaml = `${shopYaml}      resources: { limits: { memory: 512Mi }, requests: { memory: 512Mi } }\n`;
    const answers = await atOnce((api) => api.postYaml('/startUserDeployment', yaml));
    assert.deepEqual(countOf(answers), { 200: 3, 503: 17 }, bodiesOf(answers));
  });

  test('a start that overlaps with a ban is either refused or stopped', async () => {
    const now = services[0]!.clock.now;
    const requested = { kind: 'image', subject: 'nginx', reason: 'abuse', actor: actorOf({}), now };
    const [, ...answers] = await Promise.all([
      ban(db, requested),
      ...Array.from({ length: 20 }, (_, number) => services[number % 2]!.postYaml('/startUserDeployment', shopYaml)),
    ]);
    const running = (await deployments()).filter(({ removedAt }) => removedAt === null);
    assert.deepEqual(running, []);
    assert.ok(answers.every(({ status }) => status === 200 || status === 403));
  });

  test('events of one deployment that several write at once are all there, with numbers without a gap', async () => {
    await services[0]!.startShop();
    const [deployment] = await deployments();
    const deploymentId = deployment!.id;
    await atOnce((_, number) =>
      write(db, { deploymentId }, (db) =>
        addEvents(db, deploymentId, [{ at: number, event: { kind: 'progress', progress: number } }]),
      ),
    );
    const events = await eventsAfter(db, deploymentId, 0, 100);
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      Array.from({ length: events.length }, (_, index) => index + 1),
    );
    assert.equal(events.length, 21);
  });
}
