/** Reports on pods and on the deployment: which pod is to blame, which keeps restarting, which revision serves. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { webYaml } from './applications.ts';
import { type Berth, createBerth, until } from './berth.ts';
import { engineOfTests } from './engine-of-tests.ts';

let berth: Berth;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => await berth.destroy());

type Pod = { name: string; state: string; message?: string; image: string; revision: number; restarts: number };

const nowhere = 'localhost:1/nothing:1';
/**
 * Docker has the image of the database, which starts while the other image is pulled. On a cluster, registries are
 * queried for all images before anything starts: here, no pod has started.
 */
const innocent = engineOfTests === 'docker' ? 'starting' : 'waiting';
const withSlowDatabase = (name: string) => `${webYaml(name, 'x').replace('node:26-slim', nowhere)}    - name: db
      image: node:26-slim
      servicePorts: [5432]
      volumes: [{ name: data, size: 16Mi, mountPath: /data }]
      command: [node, -e, "setInterval(() => {}, 1e9)"]
`;

test('with an unavailable image, its pod has failed, and the database next to it is still starting', async () => {
  const app = await berth.start(withSlowDatabase('guilty'));
  await berth.reach(app, 'failed');
  const statesOf = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await berth.status(app)).pods.map(({ name, state }: Pod) => [name, state]));
  const status = await berth.status(app);
  assert.equal(status.health, 'failed');
  const web = status.pods.find(({ name }: Pod) => name === 'web');
  assert.match(web.message, /^The registry localhost:1 cannot be reached for localhost:1\/nothing:1 \(check its name/);
  assert.deepEqual(await statesOf(), { db: innocent, web: 'failed' });
  assert.doesNotMatch(JSON.stringify(status), /tried again/);
  const { body } = await berth.get(`/getReservations?sessionToken=${app.sessionToken}`);
  const [listed] = body.reservedDeployments;
  assert.equal(listed.status.health, 'failed');
  assert.deepEqual(
    listed.status.pods.map(({ name, state }: Pod) => [name, state]),
    status.pods.map(({ name, state }: Pod) => [name, state]),
  );
  await berth.remove(app);
});

test('a pod that is killed for memory again and again, and answers in between, is degraded and says why', async () => {
  const hungry = webYaml('hungry', 'x', ['resources: { limits: { memory: 64Mi } }']).replace(
    '.listen(3000)',
    '.listen(3000); setTimeout(() => { for (const held = []; ; ) held.push(Buffer.alloc(1e7, 1)); }, 3000)',
  );
  const app = await berth.start(hungry);
  await berth.reach(app, 'running');
  const status = await until('it is degraded', async () => {
    const status = await berth.status(app);
    assert.equal(status.state, 'running');
    // On a cluster it waits for its next start: also degraded, with the reason of its end.
    const isBetweenStarts = !/keeps restarting/.test(status.message);
    return status.pods[0].restarts >= 2 && !isBetweenStarts ? status : undefined;
  });
  const [web] = status.pods;
  assert.deepEqual([status.health, web.state], ['degraded', 'degraded']);
  assert.match(
    status.message,
    /^pod web: keeps restarting: \d+ times, last killed for memory \(limit 64 MiB\) \(raise resources.limits.memory\)$/,
  );
  assert.deepEqual([web.lastExit.code, web.lastExit.reason], [137, 'killed for memory (limit 64 MiB)']);
  assert.ok(Date.parse(web.lastExit.at) > 0);
  await berth.remove(app);
});

test('of a failed update the status says which revision serves, and what each pod runs', async () => {
  const app = await berth.start(webYaml('app', 'first'));
  await berth.reach(app, 'running');
  await berth.update(app, webYaml('app', 'second').replace('node:26-slim', nowhere));
  // The failure is reported first, and the serving revision after the next look.
  const status = await until('the earlier revision serves, and its pods are reported', async () => {
    const status = await berth.status(app);
    const isOfServing = status.pods.every(({ revision }: Pod) => revision === status.servingRevision);
    return status.health === 'serving' && isOfServing ? status : undefined;
  });
  assert.deepEqual([status.state, status.revision, status.servingRevision], ['failed', 2, 1]);
  assert.deepEqual(
    status.pods.map(({ name, state, revision }: Pod) => [name, state, revision]),
    [['web', 'ready', 1]],
  );
  assert.match(status.pods[0].image, /^node/);
  assert.match((await berth.visit(app.url)).text, /^first/);
  assert.equal((await berth.visit(`${app.url}/deep`)).status, 200);

  await berth.update(app, webYaml('app', 'third'));
  const mended = await berth.reach(app, 'running');
  assert.deepEqual([mended.health, mended.revision, mended.servingRevision], ['running', 3, 3]);
  await berth.remove(app);
});
