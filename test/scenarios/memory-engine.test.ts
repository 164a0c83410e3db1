/** The whole service on the engine in memory: what a demonstration, and a test of a client, finds. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { stopEdge } from '../../src/edge/haproxy/haproxy.ts';
import { serve } from '../../src/main.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { freePort } from '../free-port.ts';
import { ask } from './ask.ts';
import { until } from './berth.ts';

const yaml = `
application:
  name: shop
  pods:
    - { name: db, image: postgres:17, servicePorts: [5432], volumes: [{ name: data, size: 1Gi, mountPath: /data }] }
    - { name: web, image: ghcr.io/example/anything:1, path: /, servicePorts: [8080] }
`;

test('without Docker a deployment becomes running, its site echoes, and it is removed and found again', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-memory-'));
  // The service makes it, before its log is in it.
  const dataDir = join(folder, 'data');
  const port = await freePort();
  const env = { BERTH_ENGINE: 'memory', BERTH_DATA_DIR: dataDir, BERTH_PORT: String(port), BERTH_DISK_FREE: '1Mi' };
  const read = readSettings(env);
  assert.ok(read.ok);
  const logFile = join(dataDir, 'berth.log');
  let running = await serve(read.settings, logFile);
  t.after(async () => {
    await running.stop();
    await stopEdge(dataDir);
    await rm(folder, { recursive: true });
  });
  const api = `http://127.0.0.1:${port}`;
  const headers = { 'Content-Type': 'text/x-yaml' };
  const answer = await fetch(`${api}/startUserDeployment`, { method: 'POST', headers, body: yaml });
  const { url, sessionToken } = (await answer.json()) as { url: string; sessionToken: string };
  const named = new URLSearchParams({ sessionToken, applicationName: 'shop' });
  const state = async () => {
    const reported = await (await fetch(`${api}/getDeploymentStatus?${named}`)).json();
    return (reported as { status: { state: string } }).status.state;
  };
  const site = () => ask(new URL('/hello?a=b', url), { host: '127.0.0.1', port }, {});
  await until('it runs', async () => (await state()) === 'running' || undefined);
  const echo = await site();
  assert.equal(echo.status, 200);
  assert.match(echo.body, /^GET \/hello\?a=b\nPod web, which would run ghcr\.io\/example\/anything@sha256:/);
  assert.match(await readFile(logFile, 'utf8'), /no container runs/);

  await running.stop();
  running = await serve(read.settings, logFile);
  await until('its site is there again', async () => (await site()).status === 200 || undefined);
  const removal = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
  const body = JSON.stringify({ sessionToken, applicationName: 'shop' });
  assert.equal((await fetch(`${api}/removeDeploymentReservation`, { ...removal, body })).status, 200);
  await until('its site is gone', async () => (await site()).status !== 200 || undefined);
});
