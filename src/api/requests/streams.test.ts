import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { type TestContext, test } from 'node:test';
import { testApi } from '../../../test/support/api.ts';
import { wait } from '../../lib/wait.ts';
import { clientHeader } from './client-address.ts';
import { type CountExchange, createCountExchange } from './count-exchange.ts';

async function serve(context: TestContext, exchange?: CountExchange) {
  const api = await testApi({}, undefined, undefined, undefined, { exchange });
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  context.after(() => api.app.close());
  const { port } = api.app.server.address() as { port: number };
  return {
    api,
    follow: (token: string, address: string, path = '/getDeploymentEvents'): Promise<IncomingMessage> =>
      new Promise((resolve) => {
        const headers = { authorization: `Bearer ${token}`, [clientHeader]: address };
        get({ port, path: `${path}?applicationName=shop&follow=true`, headers, agent: false }, resolve);
      }),
  };
}

test('a session has 20 streams at a time, and a place is free when one has ended', async (context) => {
  const { api, follow } = await serve(context);
  const token = await api.startShop();
  const open = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      follow(token, `192.0.2.${index}`, index % 2 ? '/getDeploymentLogs' : '/getDeploymentEvents'),
    ),
  );
  assert.deepEqual([...new Set(open.map(({ statusCode }) => statusCode))], [200]);
  const refused = await follow(token, '192.0.2.99');
  assert.equal(refused.statusCode, 429);
  assert.equal(refused.headers['retry-after'], '10');
  assert.match((await refused.toArray()).join(''), /"code":"rate_limited"/);
  assert.equal((await follow(await api.startShop(), '192.0.2.99')).statusCode, 200, 'another session has its own');
  open[0]!.destroy();
  for (let tries = 0; (await follow(token, '192.0.2.99')).statusCode !== 200; tries++) assert.ok(tries < 200);
});

test('a client address has 60 streams at a time, in all sessions together', async (context) => {
  const { api, follow } = await serve(context);
  for (let session = 0; session < 3; session++) {
    const token = await api.startShop();
    for (let count = 0; count < 20; count++) assert.equal((await follow(token, '192.0.2.1')).statusCode, 200);
  }
  const token = await api.startShop();
  assert.equal((await follow(token, '192.0.2.1')).statusCode, 429);
  assert.equal((await follow(token, '192.0.2.2')).statusCode, 200);
});

test('streams that a client has open at another process count too, until they end', async (context) => {
  const ours = createCountExchange(async (text) => theirs.receive(text), 8_000);
  const theirs: CountExchange = createCountExchange(async (text) => ours.receive(text), 8_000);
  const [one, other] = await Promise.all([ours, theirs].map((exchange) => serve(context, exchange)));
  const open: IncomingMessage[] = [];
  for (let session = 0; session < 3; session++) {
    const token = await one!.api.startShop();
    for (let count = 0; count < 20; count++) open.push(await one!.follow(token, '192.0.2.1'));
  }
  while (theirs.openElsewhere('client 192.0.2.1') < 60) await wait(5);
  const token = await other!.api.startShop();
  assert.equal((await other!.follow(token, '192.0.2.1')).statusCode, 429);
  assert.equal((await other!.follow(token, '192.0.2.2')).statusCode, 200);
  for (const stream of open) stream.destroy();
  while (theirs.openElsewhere('client 192.0.2.1') > 0) await wait(5);
  assert.equal((await other!.follow(token, '192.0.2.1')).statusCode, 200);
});

test('who leaves before the stream is open takes no place for ever', async (context) => {
  const { api, follow } = await serve(context);
  const token = await api.startShop();
  const { engine } = api.service;
  const { observe } = engine;
  const { promise: allHaveLeft, resolve } = Promise.withResolvers<void>();
  const { promise: allAreAsked, resolve: announceRequests } = Promise.withResolvers<void>();
  let requested = 0;
  let answered = 0;
  let left = 0;
  api.app.server.on('request', (_, response) => response.once('close', () => left++));
  engine.observe = async (...given) => {
    if (++requested === 20) announceRequests();
    await allHaveLeft;
    answered++;
    return await observe(...given);
  };
  const { port } = api.app.server.address() as { port: number };
  const headers = { authorization: `Bearer ${token}` };
  const path = '/getDeploymentLogs?applicationName=shop&follow=true';
  const leaving = Array.from({ length: 20 }, () => get({ port, path, headers, agent: false }).on('error', () => {}));
  await allAreAsked;
  for (const request of leaving) request.destroy();
  while (left < 20) await new Promise((next) => setImmediate(next));
  resolve();
  while (answered < 20) await new Promise((next) => setImmediate(next));
  engine.observe = observe;
  assert.equal((await follow(token, '192.0.2.99')).statusCode, 200);
});
