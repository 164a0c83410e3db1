/** Documents made after public bug reports of similar services, each as its author would run it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Berth, createBerth, until } from './berth.ts';

let berth: Berth;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => await berth.destroy());

const reported = (name: string) => readFile(join('test/compose/reports', name), 'utf8');

for (const [file, pod] of [
  ['03-onfailure-oneshot.yaml', 'migrate'],
  ['36-restart-no-awaited.yaml', 'seed'],
  ['37-restart-absent.yaml', 'bootstrap'],
] as const) {
  test(`a service that ends with 0 is done, and its application runs: ${file}`, async () => {
    const app = await berth.start(await reported(file));
    const status = await berth.reach(app, 'running');
    const found = status.pods.find(({ name }: { name: string }) => name === pod);
    assert.deepEqual([found.state, found.restarts], ['ready', 0], JSON.stringify(found));
    assert.equal((await berth.visit(app.url)).text, 'ok');
    await berth.remove(app);
  });
}

test('a pod that opens another port first and its own 25 s later comes up, at its start and at its update', async () => {
  const [late, waiting, updated] = await Promise.all(
    ['52-late-port.yaml', '62-late-port-start-period.yaml', '57-late-port-update.yaml'].map(async (file) =>
      berth.start(await reported(file)),
    ),
  );
  await berth.reach(updated!, 'running');
  await berth.update(updated!, await reported('57-late-port-update.update.yaml'));
  await berth.eventsUntil(updated!, /revision 2 is running/);
  for (const app of [late!, waiting!]) await berth.reach(app, 'running');
  const texts = await Promise.all([late!, waiting!, updated!].map(async ({ url }) => (await berth.visit(url)).text));
  assert.deepEqual(texts, ['app', 'app', 'app 25000']);
});

test('files have their owner and mode, and a container calls itself what its hostname says', async () => {
  const [files, named] = await Promise.all(
    ['08-nonroot-secret.yaml', '04-hostname.yaml'].map(async (file) => berth.start(await reported(file))),
  );
  for (const app of [files!, named!]) await berth.reach(app, 'running');
  assert.deepEqual(JSON.parse((await berth.visit(files!.url)).text), {
    '/run/secrets/plain': 's3cret 100644 0',
    '/run/secrets/own': 's3cret 100400 1000',
    '/etc/app/abs.key': 'EACCES',
    run: 'ran /usr/local/bin/run.sh\n',
  });
  assert.equal((await berth.visit(named!.url)).text, 'web broker1 broker1');
});

test('a process has 10 s for its end, as with Compose', async () => {
  const app = await berth.start(await reported('53-grace-default.yaml'));
  await berth.reach(app, 'running');
  assert.equal((await berth.visit(app.url)).text, 'none');
  const renamed = (await reported('53-grace-default.yaml')).replace(
    'ports: ["3000"]',
    'ports: ["3000"]\n    environment: [A=1]',
  );
  await berth.update(app, renamed);
  await berth.eventsUntil(app, /revision 2 is running/);
  assert.equal((await berth.visit(app.url)).text, 'term\nflushed\n');
});

test('a server for IPv6 alone is named as such', async () => {
  const app = await berth.start(await reported('18-ipv6only.yaml'));
  const said = /listens on port 3000 for IPv6 only \(make it listen on 0\.0\.0\.0:3000/;
  await until('its status says so', async () => said.test(JSON.stringify(await berth.status(app))) || undefined);
  await berth.remove(app);
});

test('a proxy that resolves a name once reaches the pod after its update', async () => {
  const app = await berth.start(await reported('05-nginx-upstream.yaml'));
  await berth.reach(app, 'running');
  const { hostname } = new URL(app.url);
  assert.equal((await berth.visit(app.url)).text, `v1 ${hostname} http`);
  await berth.update(app, await reported('05-nginx-upstream.update.yaml'));
  await berth.eventsUntil(app, /revision 2 is running/);
  await until('the new version answers', async () => (await berth.visit(app.url)).text === `v2 ${hostname} http`);
  await berth.remove(app);
});

test('the replicas of a Compose service share the requests of one client, unless its route is sticky', async () => {
  const yaml = await reported('31-replicas-sticky.yaml');
  const app = await berth.start(yaml);
  const replicasOf = async (url: string) => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => berth.visit(url)));
    return new Set(answers.map(({ text }) => text)).size;
  };
  await berth.reach(app, 'running');
  assert.equal(await replicasOf(app.url), 3);
  await berth.update(app, `${yaml}    x-berth: { sticky: true }\n`);
  await berth.eventsUntil(app, /revision 2 is running/);
  await until('one replica answers', async () => (await replicasOf(app.url)) === 1);
  await berth.remove(app);
});

test('nginx leaves the port out of its redirects, until they are paths', async () => {
  const yaml = await reported('58-slash-redirect.yaml');
  const app = await berth.start(yaml);
  await berth.reach(app, 'running');
  const { hostname } = new URL(app.url);
  assert.equal((await berth.visit(`${app.url}/docs`)).headers.location, `http://${hostname}/docs/`);
  const server = 'server { listen 80; root /usr/share/nginx/html; absolute_redirect off; }';
  const corrected = yaml
    .replace('configs:\n', 'configs:\n      - { source: site, target: /etc/nginx/conf.d/default.conf }\n')
    .replace('configs: {', `configs: { site: { content: "${server}" },`);
  await berth.update(app, corrected);
  await berth.eventsUntil(app, /revision 2 is running/);
  await until(
    'it redirects to a path',
    async () => (await berth.visit(`${app.url}/docs`)).headers.location === '/docs/',
  );
  assert.equal((await berth.visit(`${app.url}/docs/`)).text, 'docs page');
  await berth.remove(app);
});
