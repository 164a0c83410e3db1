/** Builds in gVisor, while pods run on the kernel of the machine. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { dockerfile, serverOf } from '../support/node-source.ts';
import { sourceArchive } from '../support/source-archive.ts';
import { type Berth, createBerth, type Started, until } from './berth.ts';
import { tellOfGvisor } from './gvisor-engine.ts';
import { createPrivateEngine, type PrivateEngine } from './private-engine.ts';

let engine: PrivateEngine;
let berth: Berth;
before(async () => {
  engine = await createPrivateEngine();
  await engine.load('node:26-slim', 'berth-builder:1');
  await tellOfGvisor(engine);
  berth = await createBerth({ BERTH_BUILDS: '1 gvisor' }, { engine });
  await berth.serve();
});
after(async () => {
  await berth?.destroy();
  await engine?.close();
});

async function start(name: string, ...lines: string[]): Promise<Started> {
  const body = await sourceArchive({ Dockerfile: dockerfile(...lines), 'server.mjs': serverOf('hello') });
  const url = `http://localhost:${berth.settings.port}/startUserDeployment?name=${name}`;
  const answer = await berth.visit(url, { method: 'POST', headers: { 'content-type': 'application/gzip' }, body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const logOf = async ({ sessionToken, applicationName }: Started) =>
  (
    await berth.get(`/getDeploymentLogs?applicationName=${applicationName}&build=true`, {
      authorization: `Bearer ${sessionToken}`,
    })
  ).text;

/** The kernel that gVisor claims to be. */
const gvisorKernel = /Linux version 4\.4\.0/;

test('the steps of a build run with the kernel of gVisor, and the pod with that of the machine', async () => {
  const started = await start(
    'shop',
    'ENV GREETING=" world"',
    'RUN cat /proc/version; touch /built; chown 1000 /built',
  );
  await berth.reach(started, 'running');
  assert.equal((await berth.visit(started.url)).text, 'hello world');
  assert.match(await logOf(started), gvisorKernel);
  await berth.remove(started);
});

test('a build in gVisor ends with its deployment', async () => {
  const started = await start('removed', 'RUN sleep 600');
  await until('the build runs', async () => /sleep 600/.test(await logOf(started)) || undefined);
  await berth.remove(started);
  await until('nothing is left', async () => (await berth.inventory()).owned.length === 0 || undefined);
});

test('where pods run in gVisor, builds do too', async () => {
  await berth.end('SIGTERM');
  await berth.serve({ BERTH_BUILDS: '1', BERTH_RUNTIME: 'runsc' });
  const started = await start('pods', 'ENV GREETING=" again"', 'RUN cat /proc/version');
  await berth.reach(started, 'running');
  assert.equal((await berth.visit(started.url)).text, 'hello again');
  assert.match(await logOf(started), gvisorKernel);
  await berth.remove(started);
});
