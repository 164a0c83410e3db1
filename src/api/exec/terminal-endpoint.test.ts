import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { beforeEach, type TestContext, test } from 'node:test';
import fastify, { type FastifyInstance } from 'fastify';
import { WebSocket } from 'ws';
import { type TestApi, testApi } from '../../../test/support/api.ts';
import { startShopWeb } from '../../../test/support/running-shop.ts';
import { auditEntries } from '../../store/audit-log.ts';
import { createExecSlots } from './exec-slots.ts';
import { terminalEndpoint } from './terminal-endpoint.ts';

const strangers = { perSession: 10, perAddress: 10, memoryBytesPerAddress: 2 ** 40, allowsExec: true };

let api: TestApi;
let sessionToken: string;
beforeEach(async () => {
  api = await testApi({ strangers });
  sessionToken = await startShopWeb(api);
});

type Listening = Pick<FastifyInstance, 'server' | 'listen' | 'close'>;
type TerminalMessage = { kind: string; [field: string]: unknown };

/** A client of a terminal: the messages that it received, and the command's output so far. */
async function connect(t: TestContext, headers: Record<string, string> = {}, app: Listening = api.app) {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const reported: TerminalMessage[] = [];
  let written = '';
  let wake = () => {};
  const closed = Promise.withResolvers<void>();
  const socket = new WebSocket(`ws://127.0.0.1:${port}/openTerminal`, { headers });
  t.after(() => socket.terminate());
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) written += data.subarray(1).toString();
    else reported.push(JSON.parse(String(data)));
    wake();
  });
  socket.on('close', () => closed.resolve());
  await once(socket, 'open');
  const until = async <T>(look: () => T | undefined): Promise<T> => {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    }
  };
  return {
    socket,
    closed: closed.promise,
    open: (more: object = {}) =>
      socket.send(JSON.stringify({ kind: 'open', applicationName: 'shop', pod: 'web', sessionToken, ...more })),
    type: (text: string) => socket.send(Buffer.from(text)),
    hear: (kind: string) => until(() => reported.find((each) => each.kind === kind)),
    read: (text: string) => until(() => (written.includes(text) ? written : undefined)),
  };
}

const terminal = { columns: 90, rows: 30 };

test('a shell with a terminal answers input, follows its size, and reports its end', async (t) => {
  const client = await connect(t);
  client.open({ terminal });
  assert.deepEqual(await client.hear('opened'), { kind: 'opened', replica: 0 });
  client.type('stty size\r');
  await client.read('30 90');
  client.socket.send(JSON.stringify({ kind: 'resize', columns: 44, rows: 11 }));
  client.type('stty size\r');
  await client.read('11 44');
  client.type('exit 4\r');
  assert.deepEqual(await client.hear('ended'), { kind: 'ended', exitCode: 4 });
  await client.closed;
  assert.match((await auditEntries(api.service.db))[0]!.reason, /^pod web: \/bin\/sh with 2 arguments/);
});

test('without a terminal its outputs are separate, and its input ends at the client’s request', async (t) => {
  const client = await connect(t);
  const channels: number[] = [];
  client.socket.on('message', (data: Buffer, isBinary: boolean) => isBinary && channels.push(data[0]!));
  client.open({ command: ['sh', '-c', 'echo out; echo err >&2'] });
  assert.equal((await client.hear('ended')).exitCode, 0);
  assert.deepEqual(channels, [1, 2]);
  const cat = await connect(t);
  cat.open({ command: ['cat'] });
  await cat.hear('opened');
  cat.type('to its end');
  cat.socket.send('{"kind":"end-of-input"}');
  assert.equal((await cat.hear('ended')).exitCode, 0);
  await cat.read('to its end');
});

test('credentials may be in a header, and input sent before the command has started arrives', async (t) => {
  const client = await connect(t, { authorization: `Bearer ${sessionToken}` });
  client.open({ terminal, sessionToken: undefined });
  client.type('echo early\r');
  await client.read('early\r\nearly');
});

test('a refusal is sent, and the connection is closed', async (t) => {
  const nobody = await connect(t);
  nobody.open({ sessionToken: 'berth_nobody' });
  assert.equal((await nobody.hear('refused')).code, 'session_not_found');
  await nobody.closed;
  for (const first of ['no JSON', '{"kind":"open"}', '{"kind":"resize","columns":1,"rows":1}']) {
    const client = await connect(t);
    client.socket.send(first);
    assert.equal((await client.hear('refused')).code, 'invalid_request', first);
    await client.closed;
  }
  const bytes = await connect(t);
  bytes.type('bytes');
  assert.equal((await bytes.hear('refused')).code, 'invalid_request');
});

test('a page of another site cannot connect, even with its reader’s cookie; a page of this one can', async (t) => {
  const refuse = { message: /Unexpected server response: 403/ };
  await assert.rejects(connect(t, { origin: 'https://evil.example', host: 'localhost:8080' }), refuse);
  await assert.rejects(connect(t, { origin: 'http://web.localhost:8080', host: 'localhost:8080' }), refuse);
  await assert.rejects(connect(t, { 'sec-fetch-site': 'cross-site' }), refuse);
  await assert.rejects(connect(t, { cookie: 'berth.session_token=x' }), refuse);
  const client = await connect(t, { origin: 'http://localhost:8080', host: 'localhost:8080' });
  client.open({ terminal });
  await client.hear('opened');
});

test('a request that is not a WebSocket is answered with how to connect', async () => {
  const { status, body } = await api.get('/openTerminal');
  assert.deepEqual([status, body.code], [400, 'invalid_request']);
});

test('the command ends when its client goes, when its token ends, and when the service does', async (t) => {
  const readers = () => api.world.readers.size;
  const gone = await connect(t);
  gone.open({ command: ['sleep', '1000'] });
  await gone.hear('opened');
  assert.equal(readers(), 1);
  gone.socket.close();
  await gone.closed;
  while (readers() > 0) await new Promise((resolve) => setImmediate(resolve));

  const revoked = await connect(t);
  revoked.open({ command: ['sleep', '1000'] });
  await revoked.hear('opened');
  await api.service.db.updateTable('sessions').set({ tokenEndedAt: api.clock.now }).execute();
  assert.equal((await revoked.hear('ended')).because, 'revoked');
  while (readers() > 0) await new Promise((resolve) => setImmediate(resolve));
});

test('a service that stops ends commands before it is gone', async (t) => {
  const client = await connect(t);
  client.open({ command: ['sleep', '1000'] });
  await client.hear('opened');
  await api.app.close();
  assert.equal(api.world.readers.size, 0);
  assert.equal((await client.hear('ended')).because, 'service-leaves');
});

test('a command is bounded in time, in silence and in bytes', async (t) => {
  const usual = { wholeMs: 1e9, idleMs: 1e9, maxBytes: 1e9, pingEveryMs: 1e9 };
  const endOf = async (limits: Partial<typeof usual>, typed = '') => {
    const app = fastify();
    await app.register(terminalEndpoint(api.service, createExecSlots(), { ...usual, ...limits }));
    const client = await connect(t, {}, app);
    client.open({ command: ['cat'] });
    await client.hear('opened');
    if (typed !== '') client.type(typed);
    return (await client.hear('ended')).because;
  };
  assert.equal(await endOf({ wholeMs: 10 }), 'too-long');
  assert.equal(await endOf({ idleMs: 10 }), 'idle');
  assert.equal(await endOf({ maxBytes: 5 }, 'six by'), 'too-much');
});
