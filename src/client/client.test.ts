import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { shopYaml, testApi } from '../../test/support/api.ts';
import { createClient } from './client.ts';

const closing: (() => Promise<unknown>)[] = [];
after(() => Promise.all(closing.map((close) => close())));

async function serviceWith(settings: Parameters<typeof testApi>[0] = {}) {
  const api = await testApi(settings);
  const baseUrl = await api.app.listen({ host: '127.0.0.1', port: 0 });
  closing.push(() => api.app.close());
  return { api, baseUrl };
}

describe('a call', () => {
  test('has the types of its operation and answers its value', async () => {
    const { baseUrl } = await serviceWith();
    const client = createClient({ baseUrl });
    const started = await client.call('startDeployment', { body: shopYaml });
    assert.ok(started.ok && 'sessionToken' in started.value);
    const token = started.value.sessionToken;
    const query = { applicationName: 'shop' };
    const status = await client.call('getDeploymentStatus', { query, token });
    assert.ok(status.ok && status.value.status.state === 'deploying');
    // Calls without their own token use the client's token.
    const known = createClient({ baseUrl, token });
    const list = await known.call('listDeployments');
    assert.ok(list.ok && list.value.reservedDeployments[0]!.applicationName === 'shop');
    const extended = await known.call('extendDeployment', { body: query });
    assert.ok(extended.ok);
    assert.match(extended.value, /has been extended/);
  });
  test('that is refused is a value, with what the service says', async () => {
    const { baseUrl } = await serviceWith();
    const client = createClient({ baseUrl });
    const missing = await client.call('listDeployments');
    assert.ok(!missing.ok && missing.problem.code === 'missing_token' && missing.problem.status === 401);
    const invalid = await client.call('startDeployment', { body: 'application: {name: shop}' });
    assert.ok(!invalid.ok && invalid.problem.code === 'invalid_configuration' && invalid.problem.errors!.length > 0);
    const claim = await client.call('getClaim', { path: { token: 'a/../b' } });
    assert.ok(!claim.ok && claim.problem.code === 'claim_not_found');
  });
  test('to an unreachable service, and one that is aborted, are values too', async () => {
    const { baseUrl } = await serviceWith();
    const nobody = await createClient({ baseUrl: 'http://127.0.0.1:1' }).call('getConfigSchema');
    assert.ok(!nobody.ok && nobody.problem.code === 'unreachable' && nobody.problem.status === 0);
    const given = await createClient({ baseUrl }).call('getConfigSchema', { signal: AbortSignal.abort() });
    assert.ok(!given.ok && given.problem.code === 'aborted');
  });
  test('that requires a proof of work computes it by itself', async () => {
    const { baseUrl } = await serviceWith({ proofOfWork: { mode: 'always', cost: 1 } });
    const started = await createClient({ baseUrl }).call('startDeployment', { body: shopYaml });
    assert.ok(started.ok, JSON.stringify(started));
  });
  test('whose answer comes from a proxy is described by its status', async () => {
    const baseUrl = await answering((_, response) => response.writeHead(429, { 'Retry-After': '7' }).end('busy'));
    const answer = await createClient({ baseUrl }).call('listDeployments');
    assert.ok(!answer.ok);
    assert.deepEqual(answer.problem, {
      status: 429,
      code: 'unknown',
      error: 'The service answered 429.',
      retryAfterSeconds: 7,
    });
  });
});

describe('a stream', () => {
  test('of events goes on after the last one when its connection breaks, and ends with the deployment', async () => {
    const requested: (string | undefined)[] = [];
    const state = (state: string) => JSON.stringify({ kind: 'state', state, message: state });
    const baseUrl = await answering((request, response) => {
      requested.push(request.headers['last-event-id'] as string | undefined);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      if (requested.length === 1) {
        response.write(`id: 3\nevent: state\ndata: ${state('running')}\n\nid: 4\nda`, () => response.destroy());
      } else response.write(`id: 4\nevent: state\ndata: ${state('expired')}\n\n`);
    });
    let broken = 0;
    const reported: [number, string][] = [];
    const events = createClient({ baseUrl }).events({ applicationName: 'shop' }, { onBroken: () => broken++ });
    for await (const { sequence, message } of events) reported.push([sequence, message!]);
    assert.deepEqual(
      [reported, requested, broken],
      [
        [
          [3, 'running'],
          [4, 'expired'],
        ],
        [undefined, '3'],
        1,
      ],
    );
  });
  test('of lines returns each once, although those of the last instant come again', async () => {
    const line = (at: string, text: string) =>
      `event: line\ndata: ${JSON.stringify({ at, pod: 'web', revision: 1, text })}\n\n`;
    const requested: URLSearchParams[] = [];
    const baseUrl = await answering((request, response) => {
      requested.push(new URL(request.url!, 'http://x').searchParams);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      if (requested.length === 1) response.end(line('1', 'a') + line('2', 'b') + line('2', 'c'));
      else response.end(line('2', 'b') + line('2', 'c') + line('2', 'd') + line('3', 'e'));
    });
    const reported: string[] = [];
    for await (const { text } of createClient({ baseUrl }).logs({ applicationName: 'shop', tail: '5' })) {
      reported.push(text);
      if (text === 'e') break;
    }
    assert.deepEqual(reported, ['a', 'b', 'c', 'd', 'e']);
    assert.deepEqual(
      requested.map((query) => [query.get('since'), query.get('tail')]),
      [
        [null, '5'],
        ['2', '1000'],
      ],
    );
  });
  test('that is refused says why, and one that is given up ends', async () => {
    const { baseUrl } = await serviceWith();
    const refused = await createClient({ baseUrl, token: 'berth_x' }).events({ applicationName: 'shop' }).next();
    assert.ok(refused.done && refused.value?.code === 'session_not_found');
    const stop = new AbortController();
    const silent = await answering((_, response) => void response.writeHead(200).flushHeaders());
    const next = createClient({ baseUrl: silent }).events({ applicationName: 'shop' }, { signal: stop.signal }).next();
    stop.abort();
    assert.deepEqual(await next, { done: true, value: undefined });
  });
});

/** The address of a server that answers so. */
async function answering(answer: Parameters<typeof createServer>[1] & object): Promise<string> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
