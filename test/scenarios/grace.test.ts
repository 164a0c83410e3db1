import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { buildImage } from '../contract/image.ts';
import { shellYaml } from './applications.ts';
import { type Berth, createBerth, named, type Started, until } from './berth.ts';

const hour = 3_600_000;
let image: string;
before(async () => {
  image = await buildImage(await connectDocker(), { name: 'contract' });
});

/** Each start of it adds a line. */
const yaml = () =>
  shellYaml('keeper', image, 'echo started >>/data/starts; exec busybox httpd -f -p 8080 -h /data', [
    '{ name: data, size: 16Mi, mountPath: /data }',
  ]);

const statusOf = async (berth: Berth, app: Started) =>
  await berth.get(`/getDeploymentStatus?applicationName=keeper&sessionToken=${app.sessionToken}`);
async function putAway(berth: Berth, app: Started): Promise<void> {
  await until('it is put away', async () => (await berth.row(app)).keptAt ?? undefined);
}

const kindsOf = async (berth: Berth) => (await berth.inventory()).owned.map(({ kind }) => kind);

test('a removed deployment is restored with its data at its address, also by a service that was killed in between', async (t) => {
  const berth = await createBerth({ BERTH_GRACE: '1h' });
  t.after(() => berth.destroy());
  await berth.serve();
  const app = await berth.start(yaml());
  await berth.reach(app, 'running');
  assert.equal((await berth.visit(`${app.url}/starts`)).text, 'started\n');

  await berth.remove(app);
  await berth.end('SIGKILL');
  await berth.serve();
  await putAway(berth, app);
  assert.deepEqual(await kindsOf(berth), ['volume'], 'containers and network are gone');
  assert.deepEqual((await berth.inventory()).orphans, []);
  const ended = await statusOf(berth, app);
  assert.equal(ended.body.status.state, 'expired');
  assert.ok(Date.parse(ended.body.restorableUntil) > Date.now());
  assert.equal((await berth.visit(`${app.url}/starts`)).status, 410);

  const restored = await berth.postJson('/restoreDeployment', named(app));
  assert.equal(restored.status, 200, restored.text);
  assert.equal(restored.body.url, app.url);
  await berth.end('SIGKILL');
  await berth.serve();
  await berth.reach(app, 'running');
  assert.equal((await berth.visit(`${app.url}/starts`)).text, 'started\nstarted\n');

  await berth.postJson('/removeDeploymentReservation', { ...named(app), forget: true });
  await until('all is gone', async () => ((await kindsOf(berth)).length === 0 ? true : undefined));
  assert.equal((await statusOf(berth, app)).status, 404);
});

test('what has expired can be restored, and what was not is gone when its time is over', async (t) => {
  const berth = await createBerth({ BERTH_GRACE: '2h', BERTH_LIFETIME: '1h' }, { isHooked: true });
  t.after(() => berth.destroy());
  await berth.serve();
  const app = await berth.start(yaml());
  await berth.reach(app, 'running');
  await berth.setClock(1 * hour);
  await putAway(berth, app);
  const restored = await berth.postJson('/restoreDeployment', named(app));
  assert.equal(restored.status, 200, restored.text);
  await berth.reach(app, 'running');
  assert.equal((await berth.visit(`${app.url}/starts`)).text, 'started\nstarted\n');
  await berth.remove(app);
  await putAway(berth, app);
  await berth.setClock(3.5 * hour);
  await until('all is gone', async () => ((await kindsOf(berth)).length === 0 ? true : undefined));
  assert.equal((await statusOf(berth, app)).status, 404);
});
