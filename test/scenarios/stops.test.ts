import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { buildImage } from '../contract/image.ts';
import { type Berth, createBerth, named, until } from './berth.ts';

let image: string;
before(async () => {
  image = await buildImage(await connectDocker(), { name: 'contract' });
});

/** Each start of `keeper` adds a line to what it keeps; `web` says when it was started. */
const yaml = () => `application:
  name: resting
  pods:
    - name: keeper
      image: "${image}"
      path: /
      servicePorts: [8080]
      entrypoint: /bin/sh
      command: ["-c", "echo started >>/data/starts; exec busybox httpd -f -p 8080 -h /data"]
      volumes: [{ name: data, size: 16Mi, mountPath: /data }]
    - name: web
      image: "${image}"
      path: /web
      servicePorts: [8080]
      entrypoint: /bin/sh
      command: ["-c", "mkdir -p /tmp/web/web; cat /proc/sys/kernel/random/uuid >/tmp/web/web/id; exec busybox httpd -f -p 8080 -h /tmp/web"]
`;

const kindsOf = async (berth: Berth) => (await berth.inventory()).owned.map(({ kind }) => kind);

async function ask(berth: Berth, path: string, body: object): Promise<void> {
  const { status, text } = await berth.postJson(path, body);
  assert.equal(status, 200, text);
}

test('what is stopped has its data and its address alone, and starts again with them, by a service that is killed each time', async (t) => {
  const berth = await createBerth();
  t.after(() => berth.destroy());
  await berth.serve();
  const app = await berth.start(yaml());
  await berth.reach(app, 'running');

  await ask(berth, '/stopApplication', named(app));
  await berth.end('SIGKILL');
  await berth.serve();
  await until('its containers are gone', async () => {
    const kinds = await kindsOf(berth);
    return kinds.every((kind) => kind === 'volume') ? true : undefined;
  });
  assert.deepEqual(await kindsOf(berth), ['volume']);
  assert.deepEqual((await berth.inventory()).orphans, []);
  const visit = await berth.visit(`${app.url}/starts`);
  assert.deepEqual([visit.status, JSON.parse(visit.text).code], [503, 'application_stopped']);
  const list = await berth.get(`/getReservations?sessionToken=${app.sessionToken}`);
  assert.equal(list.body.reservedDeployments[0].status.health, 'stopped');

  await ask(berth, '/startApplication', named(app));
  await berth.end('SIGKILL');
  await berth.serve();
  await berth.reach(app, 'running');
  assert.equal((await berth.visit(`${app.url}/starts`)).text, 'started\nstarted\n');
});

test('a pod is restarted without a request lost, one with a volume with its data, and the other stays', async (t) => {
  const berth = await createBerth();
  t.after(() => berth.destroy());
  await berth.serve();
  const app = await berth.start(yaml());
  await berth.reach(app, 'running');
  const id = async () => (await berth.visit(`${app.url}/web/id`)).text;
  const before = await id();

  const statuses = new Set<number>();
  let isOver = false;
  const visitor = (async () => {
    while (!isOver) statuses.add((await berth.visit(`${app.url}/web/id`)).status);
  })();
  await ask(berth, '/restartPod', { ...named(app), pod: 'web' });
  await berth.reach(app, 'running');
  isOver = true;
  await visitor;
  assert.deepEqual([...statuses], [200]);
  const after = await id();
  assert.notEqual(after, before);
  assert.equal((await berth.visit(`${app.url}/starts`)).text, 'started\n', 'the other was left alone');

  await ask(berth, '/restartPod', { ...named(app), pod: 'keeper' });
  await berth.end('SIGKILL');
  await berth.serve();
  await berth.reach(app, 'running');
  assert.equal((await berth.visit(`${app.url}/starts`)).text, 'started\nstarted\n');
  assert.equal(await id(), after);
  await until('nothing else is left', async () => {
    const containers = (await kindsOf(berth)).filter((kind) => kind === 'workload');
    return containers.length === 2 ? true : undefined;
  });
});
