/** Unused deployments sleep, and requests wake them up: none is lost, none is sent twice. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { type Berth, createBerth, type Started, until } from './berth.ts';

let berth: Berth;
before(async () => {
  berth = await createBerth({ BERTH_SLEEP: 'free=1s' });
  await berth.serve();
});
after(async () => await berth.destroy());

/** `POST /add` counts a body and answers with its length; `GET /count` shows the counts; a WebSocket echoes. */
const yaml = (name: string) => `application:
  name: ${name}
  pods:
    - name: counter
      image: node:26-slim
      servicePorts: [3001]
      command: node /app/server.mjs
      files:
        - path: /app/server.mjs
          content: |
            import { createServer } from 'node:http';
            let count = 0;
            createServer((request, response) => response.end(String(request.url === '/add' ? ++count : count))).listen(3001);
            process.once('SIGTERM', () => process.exit());
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: node /app/server.mjs
      vars: { COUNTER: 'http://counter.pod:3001' }
      files:
        - path: /app/server.mjs
          content: |
            import { createHash } from 'node:crypto';
            import { createServer } from 'node:http';
            const { COUNTER } = process.env;
            const server = createServer(async (request, response) => {
              let length = 0;
              for await (const piece of request) length += piece.length;
              const count = await (await fetch(COUNTER + request.url)).text();
              response.end(request.url === '/add' ? String(length) : count);
            });
            server.on('upgrade', ({ headers }, socket) => {
              const key = headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
              const accept = createHash('sha1').update(key).digest('base64');
              const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
              socket.write([...head, 'Sec-WebSocket-Accept: ' + accept, '', ''].join('\\r\\n'));
              socket.pipe(socket);
            });
            server.listen(3000);
            process.once('SIGTERM', () => process.exit());
`;

type Sleep = { since?: string; wakes: number; wokeInMs?: number };

const sleepOf = async (app: Started): Promise<Sleep | undefined> => (await berth.status(app)).sleep;

async function asleep(app: Started): Promise<void> {
  await until(`${app.applicationName} sleeps and is frozen`, async () => {
    if ((await berth.status(app)).health !== 'asleep') return undefined;
    const { owned } = await berth.inventory();
    const { id } = await berth.row(app);
    const workloads = owned.filter(({ kind, deploymentId }) => kind === 'workload' && deploymentId === id);
    return workloads.every(({ tampering }) => tampering === 'paused') ? true : undefined;
  });
}

async function started(name: string): Promise<Started> {
  const app = await berth.start(yaml(name));
  await berth.reach(app, 'running');
  return app;
}

/** Sends a request again that the edge has held back for as long as it may, as on an overloaded machine. */
async function visit(url: string, options: Parameters<Berth['visit']>[1] = {}): ReturnType<Berth['visit']> {
  for (;;) {
    const answer = await berth.visit(url, options);
    if (answer.status !== 503 || answer.body.code !== 'application_waking') return answer;
  }
}

const count = async ({ url }: Started) => Number((await visit(`${url}/count`)).text);

test('requests with bodies, hundreds at once, wake a frozen deployment, and each arrives once', async () => {
  const app = await started('sleeper');
  const body = 'x'.repeat(300_000);
  let sent = 0;
  for (const many of [1, 200, 1, 50]) {
    await asleep(app);
    const before = (await sleepOf(app))!.wakes;
    const requests = Array.from({ length: many }, () => visit(`${app.url}/add`, { method: 'POST', body }));
    const answers = await Promise.all(requests);
    sent += many;
    assert.deepEqual(
      [...new Set(answers.map(({ status, text }) => `${status} ${text}`))],
      [`200 ${body.length}`],
      berth.log().slice(-2000),
    );
    // It is recorded after the first answers.
    await until('the wake is recorded', async () => ((await sleepOf(app))!.wakes > before ? true : undefined));
  }
  assert.equal(await count(app), sent);
  const { restarts } = await berth.status(app).then(({ pods }) => pods[0]);
  assert.equal(restarts, 0);
  const messages = (await berth.events(app)).filter((message) => /^a(wake|sleep):/.test(message));
  assert.ok(messages.length >= 8, messages.join('\n'));
  await berth.remove(app);
});

test('a WebSocket wakes a deployment, and keeps it awake while it is open', async () => {
  const app = await started('socketed');
  await asleep(app);
  const { host } = new URL(app.url);
  const socket = connect(berth.settings.port, '127.0.0.1');
  const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${key}\r\n\r\n`);
  const [head] = await once(socket, 'data');
  assert.match(String(head), /^HTTP\/1.1 101 /);
  const wakes = await until('the wake is recorded', async () => (await sleepOf(app))!.wakes || undefined);
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, 4_000);
  await isOver;
  assert.deepEqual([(await berth.status(app)).health, (await sleepOf(app))!.wakes], ['running', wakes]);
  socket.write('still here?');
  assert.equal(String((await once(socket, 'data'))[0]), 'still here?');
  socket.destroy();
  await berth.remove(app);
});

test('a service that is killed while a deployment sleeps, or wakes up, wakes it at the next request', async () => {
  const app = await started('survivor');
  for (const _ of ['once', 'again']) {
    await asleep(app);
    const wake = berth.visit(`${app.url}/add`, { method: 'POST', body: 'x' }).catch(() => undefined);
    if (_ === 'again') await wake;
    await berth.end('SIGKILL');
    await wake;
    await berth.serve();
    const { status, text } = await visit(`${app.url}/count`);
    assert.equal(status, 200, text);
  }
  await asleep(app);
  await berth.remove(app);
  const { id } = await berth.row(app);
  await until('the engine has no object of the deployment', async () =>
    (await berth.inventory()).owned.some(({ deploymentId }) => deploymentId === id) ? undefined : true,
  );
  assert.deepEqual((await berth.inventory()).orphans, []);
});
