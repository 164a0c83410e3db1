/** The page server as the edge sees it. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Answer } from '../../../test/support/edge.ts';
import { StoreFault } from '../../store/store-fault.ts';
import { startPageServer } from '../open-pages.ts';

const quiet = { info: () => {}, warn: () => {} };

function ask(socketPath: string, host: string, method = 'GET', accept = '*/*'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path: '/x?y', method, headers: { host, accept } }, async (incoming) => {
      const body = (await incoming.toArray()).join('');
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body });
    });
    outgoing.on('error', reject).end(method === 'POST' ? 'body' : undefined);
  });
}

test('the state of the requested host, as a page or as JSON, for any method', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-pages-'));
  const socketPath = join(directory, 'pages.sock');
  const looked: string[] = [];
  const lookUp = async (host: string) => {
    looked.push(host);
    if (host === 'broken.test') throw new Error('secret');
    if (host === 'away.test') throw new StoreFault('secret', { wasDone: 'no', isBrief: true, code: 'ECONNREFUSED' });
    return { applicationName: 'shop', environment: 'jolly-tapir', state: 'deploying' as const, progress: 5 };
  };
  const server = await startPageServer(socketPath, lookUp, quiet);

  const json = await ask(socketPath, 'Shop.test.:8080');
  assert.deepEqual([json.status, json.headers['x-berth-state'], JSON.parse(json.body).progress], [503, 'deploying', 5]);
  const page = await ask(socketPath, 'shop.test', 'GET', 'text/html,application/xhtml+xml');
  assert.match(page.body, /^<!doctype html>/);
  const head = await ask(socketPath, 'shop.test', 'HEAD', 'text/html');
  assert.deepEqual([head.body, head.headers['content-length']], ['', page.headers['content-length']]);
  assert.equal((await ask(socketPath, 'shop.test', 'POST')).status, 503);
  const broken = await ask(socketPath, 'broken.test');
  assert.equal(broken.status, 500);
  assert.doesNotMatch(broken.body, /secret/);
  const away = await ask(socketPath, 'away.test');
  assert.deepEqual(
    [away.status, away.headers['retry-after'], JSON.parse(away.body).code],
    [503, '5', 'service_unavailable'],
  );
  const awayPage = await ask(socketPath, 'away.test', 'GET', 'text/html');
  assert.equal(awayPage.status, 503);
  assert.match(awayPage.body, /^<!doctype html>.*Back in a moment/s);
  assert.doesNotMatch(away.body + awayPage.body, /secret/);
  assert.equal((await ask(socketPath, '-')).status, 404);
  assert.deepEqual(looked, [
    'shop.test',
    'shop.test',
    'shop.test',
    'shop.test',
    'broken.test',
    'away.test',
    'away.test',
  ]);

  await server.close();
  await (await startPageServer(socketPath, lookUp, quiet)).close();
  await rm(directory, { recursive: true });
});
