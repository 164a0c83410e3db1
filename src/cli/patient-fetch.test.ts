import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, test } from 'node:test';
import { createClient } from '../client/client.ts';
import { patientFetch } from './patient-fetch.ts';

let opened = new AsyncDisposableStack();
afterEach(async () => {
  await opened.disposeAsync();
  opened = new AsyncDisposableStack();
});

async function serve(answer: RequestListener): Promise<string> {
  const server = opened.use(createServer(answer).listen(0, '127.0.0.1'));
  opened.defer(() => server.closeAllConnections());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const openExport = (baseUrl: string, signal?: AbortSignal) =>
  createClient({ baseUrl, token: 'key', fetch: patientFetch }).open('exportDeployment', {
    query: { applicationName: 'shop' },
    signal,
  });

test('the request comes as it is, and the answer with its status, headers and bytes', async () => {
  const baseUrl = await serve(({ method, url, headers }, response) => {
    response.writeHead(409, { 'content-type': 'text/plain', 'set-cookie': ['a=1', 'b=2'] });
    response.end(`${method} ${url} ${headers.authorization}`);
  });
  const answer = await openExport(baseUrl);
  assert.ok(answer.ok);
  const { status, headers } = answer.value;
  assert.deepEqual([status, headers.get('content-type'), headers.getSetCookie()], [409, 'text/plain', ['a=1', 'b=2']]);
  assert.equal(await answer.value.text(), 'GET /exportDeployment?applicationName=shop Bearer key');
});

test('an answer without a body has none', async () => {
  for (const status of [204, 205, 304]) {
    const url = await serve((_, response) => void response.writeHead(status, { etag: '"1"' }).end());
    const answer = await patientFetch(url);
    assert.deepEqual([answer.status, answer.headers.get('etag'), await answer.text()], [status, '"1"', '']);
  }
});

test('a connection that breaks before the answer is a service that does not answer, and later no whole body', async () => {
  const silent = await openExport(await serve(({ socket }) => socket.destroy()));
  assert.equal(!silent.ok && silent.problem.code, 'unreachable');
  const baseUrl = await serve(({ socket }, response) => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('half.', () => socket.destroy());
  });
  const broken = await openExport(baseUrl);
  assert.ok(broken.ok);
  await assert.rejects(broken.value.text());
});

test('an abort ends the wait, before an answer or within it', async () => {
  const leaving = new AbortController();
  const given = await openExport(await serve(() => leaving.abort()), leaving.signal);
  assert.equal(!given.ok && given.problem.code, 'aborted');
  const later = new AbortController();
  const begun = await openExport(await serve((_, response) => void response.write('begun')), later.signal);
  assert.ok(begun.ok);
  later.abort();
  await assert.rejects(begun.value.text());
});
