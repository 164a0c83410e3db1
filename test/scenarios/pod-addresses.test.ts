/** Programs that resolve the name of a pod once, as nginx does for `proxy_pass`, still reach it after it was replaced. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Berth, createBerth, named, type Started, until } from './berth.ts';

let berth: Berth;
let app: Started;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => await berth.destroy());

/** Answers its version by HTTP and UDP. */
const api = `
const { V } = process.env;
require('http').createServer((_, response) => response.end(V)).listen(3000);
const socket = require('dgram').createSocket('udp4');
socket.on('message', (_, { port, address }) => socket.send(V, port, address));
socket.bind(5000);
process.once('SIGTERM', () => process.exit());`;

/**
 * Resolves `api` at its start and never again. Sends UDP from one socket without a pause, so that the kernel never forgets
 * the connection by itself, and shows the newest answers by each way.
 */
const watcher = `
const { createServer } = require('http');
require('dns').lookup('api', (_, address) => {
  let udp = '';
  const socket = require('dgram').createSocket('udp4');
  socket.on('message', (text) => { udp = String(text); });
  setInterval(() => socket.send('?', 5000, address), 50);
  createServer(async (_, response) => {
    const tcp = await fetch('http://' + address + ':3000').then((answer) => answer.text(), (fault) => String(fault.cause));
    response.end(JSON.stringify({ tcp, udp }));
  }).listen(3000);
});
process.once('SIGTERM', () => process.exit());`;

const compose = (version: string) => `name: upstream
services:
  proxy:
    image: nginx:1
    ports: ["80:80"]
    configs: [{ source: site, target: /etc/nginx/conf.d/default.conf }]
    depends_on: [api, watcher]
  watcher:
    image: node:26-slim
    expose: ["3000"]
    depends_on: [api]
    command: ["node", "-e", ${JSON.stringify(watcher)}]
  api:
    image: node:26-slim
    expose: ["3000"]
    environment: { V: "${version}" }
    command: ["node", "-e", ${JSON.stringify(api)}]
configs:
  site:
    content: |
      server {
        listen 80;
        location / { proxy_pass http://api:3000; }
        location /watched { proxy_pass http://watcher:3000/; }
      }
`;

async function sees(version: string): Promise<void> {
  const expected = JSON.stringify([version, { tcp: version, udp: version }]);
  const look = async () => {
    const [page, watched] = [await berth.visit(app.url), await berth.visit(`${app.url}/watched`)];
    return JSON.stringify([page.text, page.status === 200 && watched.status === 200 ? JSON.parse(watched.text) : 0]);
  };
  await until(`${expected} is seen`, async () => (await look()) === expected);
}

test('an update of a pod is seen through a proxy and by programs that have resolved its name before, over TCP and UDP', async () => {
  app = await berth.start(compose('v1'));
  await berth.reach(app, 'running');
  await sees('v1');
  for (const version of ['v2', 'v3']) {
    await berth.update(app, compose(version));
    await berth.reach(app, 'running');
    await sees(version);
  }
});

test('a restart of the pod alone keeps its address', async () => {
  const { status, text } = await berth.postJson('/restartPod', { ...named(app), pod: 'api' });
  assert.equal(status, 200, text);
  await until('its old workload is gone', async () => {
    const history = await berth.history(app);
    return history.some(
      (event) =>
        event.kind === 'operation' && event.operation === 'remove' && event.pod === 'api' && event.revision === 3,
    );
  });
  await sees('v3');
});

test('a service that is started again leaves the addresses as they are', async () => {
  await berth.end('SIGKILL');
  await berth.serve();
  await sees('v3');
  await berth.update(app, compose('v4'));
  await berth.reach(app, 'running');
  await sees('v4');
});
