/**
 * Two processes on one PostgreSQL, each with an edge at a port of its own. One of them, its HAProxy, or both stop for
 * longer than the others wait, while an address of one application goes to another tenant.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { edgePaths } from '../../src/edge/edge-paths.ts';
import { stopEdge } from '../../src/edge/haproxy/haproxy.ts';
import { findProxies } from '../../src/edge/haproxy/haproxy-process.ts';
import { isAlive } from '../../src/lib/is-alive.ts';
import { wait } from '../../src/lib/wait.ts';
import { addDeployment } from '../../src/store/deployments.ts';
import { edgeOf, forever, otherEdges } from '../../src/store/edges.ts';
import { nextRoutesVersion, routesVersion } from '../../src/store/routes.ts';
import { addSession } from '../../src/store/sessions.ts';
import { write } from '../../src/store/transaction.ts';
import { afterDeath } from '../after-death.ts';
import { freePort } from '../free-port.ts';
import { deploymentOf } from '../support/deployments.ts';
import { ask, eventually, stop } from '../support/edge.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { type EdgeService, type EdgeServiceTask, serveEdge } from './edge-service.ts';

const silenceMs = 2_000;

let postgres: TestPostgres;
let ours: EdgeService;
let theirs: ChildProcess;
let tasks: EdgeServiceTask[];
let workloads: Server;
/** `<tenant> at <address>`: whose request came to whose workload. */
const strayed = new Set<string>();
/** The labels of the workloads by address. */
const tenants = new Map<string, string>();
/** The workload that a connection has reached. The connection stays there, even if another one gets the address. */
const reached = new WeakMap<Socket, string | undefined>();

before(async () => {
  postgres = await startPostgres();
  await (await postgres.openStore()).destroy();
  tasks = await Promise.all(
    ['ours', 'theirs'].map(async (name) => {
      const dataDir = await mkdtemp(join(tmpdir(), `berth-${name}-`));
      return { databaseUrl: postgres.url('store'), dataDir, port: await freePort(), silenceMs };
    }),
  );
  workloads = createServer((request, response) => {
    const address = request.socket.localAddress!;
    const tenant = request.headers.host!.split('.')[0]!;
    if (reached.get(request.socket) !== tenant) strayed.add(`${tenant} at ${address}`);
    response.end(`${tenant} at ${address}`);
  });
  workloads.on('connection', (socket) => reached.set(socket, tenants.get(socket.localAddress!)));
  await new Promise<void>((resolve) => workloads.listen(0, '0.0.0.0', resolve));
  ours = await serveEdge(tasks[0]!);
  await addSession(ours.store.db, { id: 'session', token: 'token', createdAt: 0 });
  for (const id of ['shop', 'blog'])
    await addDeployment(ours.store.db, deploymentOf({ id, label: id, applicationName: id }));
});
const undertakers: { dismiss(): void }[] = [];
after(async () => {
  theirs?.kill('SIGKILL');
  await ours?.[Symbol.asyncDispose]();
  for (const { dataDir } of tasks ?? []) {
    await stopEdge(dataDir);
    await rm(dataDir, { recursive: true });
  }
  for (const undertaker of undertakers) undertaker.dismiss();
  await stop(workloads);
  await postgres?.[Symbol.asyncDispose]();
});

async function startTheirs(): Promise<void> {
  theirs = fork(join(import.meta.dirname, 'edge-service.ts'), [JSON.stringify(tasks[1])]);
  await once(theirs, 'message');
}

/** Like a visit: first the row, then our edge, then the other edges. */
async function lead(id: string, addresses: string[]): Promise<void> {
  const { port } = workloads.address() as AddressInfo;
  const endpoints = JSON.stringify(addresses.map((address) => ({ path: '/', address, port })));
  for (const address of addresses) tenants.set(address, id);
  await write(ours.store.db, 'all', async (db) => {
    const routesVersion = await nextRoutesVersion(db);
    await db.updateTable('deployments').set({ endpoints, routesVersion }).where('id', '=', id).execute();
  });
  await ours.edge.refresh();
  await ours.edge.othersServe!();
}

const visit = (edge: number, tenant: string) => ask(tasks[edge]!.port, { host: `${tenant}.apps.test` });
/** The edge's answer, or undefined if it cannot answer. */
const reported = async (edge: number, tenant: string) =>
  await visit(edge, tenant).then(
    ({ status, body }) => (status === 200 ? body : String(status)),
    () => '',
  );

test('an edge that is alone answers without end; when another one comes, neither does', async () => {
  for (const { dataDir } of tasks) undertakers.push(afterDeath(['test/end-edge.ts', dataDir]));
  const untils = async () => (await otherEdges(ours.store.db, '')).map(({ answersUntil }) => answersUntil);
  assert.deepEqual(await untils(), [forever]);
  await startTheirs();
  await eventually(async () => {
    const all = await untils();
    return all.length === 2 && all.every((until) => until < Date.now() + 2 * silenceMs);
  });
});

test('when a change of routes is confirmed, every edge serves it', async () => {
  for (const address of ['127.9.0.1', '127.9.0.2', '127.9.0.3']) {
    await lead('shop', [address]);
    assert.deepEqual(await Promise.all([0, 1].map((edge) => reported(edge, 'shop'))), [
      `shop at ${address}`,
      `shop at ${address}`,
    ]);
  }
});

for (const [title, whom] of [
  ['a service', ['service']],
  ['a HAProxy', ['edge']],
  ['a service and its HAProxy', ['service', 'edge']],
] as const)
  test(`while ${title} stands still for longer than others wait, and after, no request reaches another tenant's workload`, async () => {
    await lead('blog', []);
    await lead('shop', ['127.9.0.7']);
    const proxies = await findProxies(edgePaths(tasks[1]!.dataDir));
    const stopped = whom.flatMap((part) => (part === 'service' ? [theirs.pid!] : proxies));
    let isVisiting = true;
    const visitors = Array.from({ length: 16 }, async () => {
      while (isVisiting) {
        await reported(1, 'shop');
        await wait(1);
      }
    });
    await eventually(async () => (await reported(1, 'shop')) === 'shop at 127.9.0.7');

    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    // From here on they stand still for as long as the others wait, and then some.
    await lead('shop', []);
    await lead('blog', ['127.9.0.7']);
    assert.equal(await reported(0, 'blog'), 'blog at 127.9.0.7');
    await wait(silenceMs);
    for (const pid of stopped) if (isAlive(pid)) process.kill(pid, 'SIGCONT');
    await eventually(async () => (await reported(1, 'blog')) === 'blog at 127.9.0.7');
    assert.notEqual(await reported(1, 'shop'), 'shop at 127.9.0.7');
    isVisiting = false;
    await Promise.all(visitors);
    assert.deepEqual([...strayed], []);
  });

test('what an edge leads to that lags behind is known to the others, until it lags no more', async () => {
  await lead('blog', []);
  await lead('shop', ['127.9.0.9']);
  const version = () => routesVersion(ours.store.db);
  assert.deepEqual(await ours.edge.othersLead!(await version()), [], 'it serves that version');
  theirs.kill('SIGSTOP');
  await write(ours.store.db, 'all', async (db) => {
    const routesVersion = await nextRoutesVersion(db);
    await db.updateTable('deployments').set({ endpoints: '[]', routesVersion }).where('id', '=', 'shop').execute();
  });
  const lost = (await ours.edge.othersLead!(await version())).includes('127.9.0.9');
  assert.ok(lost, 'the row no longer has it');
  theirs.kill('SIGCONT');
  await eventually(async () => (await ours.edge.othersLead!(await version())).length === 0);
  assert.notEqual(await reported(1, 'shop'), 'shop at 127.9.0.9');
});

test('an edge on another machine, which cannot be queried, is waited for', async () => {
  const { db } = ours.store;
  const id = (await otherEdges(db, '')).find(({ directory }) => directory === tasks[1]!.dataDir)!.id;
  const move = (machine: string) => db.updateTable('edges').set({ machine }).where('id', '=', id).execute();
  await lead('blog', []);
  await lead('shop', ['127.9.0.6']);
  const { machine } = (await edgeOf(db, id))!;
  await move('elsewhere');
  theirs.kill('SIGSTOP');
  await write(db, 'all', async (db) => {
    const routesVersion = await nextRoutesVersion(db);
    await db.updateTable('deployments').set({ endpoints: '[]', routesVersion }).where('id', '=', 'shop').execute();
  });
  const version = await routesVersion(db);
  const waiting = ours.edge.othersLead!(version);
  assert.equal(
    await reported(1, 'shop'),
    'shop at 127.9.0.6',
    'the route exists, although its target is invisible here',
  );
  theirs.kill('SIGCONT');
  assert.deepEqual(await waiting, []);
  assert.equal((await edgeOf(db, id))?.version, version, 'it has said so itself');
  assert.notEqual(await reported(1, 'shop'), 'shop at 127.9.0.6');
  await move(machine);
});

test('an edge whose service has died stops answering after a time, and answers again when it is back', async () => {
  await lead('shop', ['127.9.0.8']);
  assert.equal(await reported(1, 'shop'), 'shop at 127.9.0.8');
  theirs.kill('SIGKILL');
  await eventually(async () => (await reported(1, 'shop')) === '503');
  // It says why: nothing is wrong with the application.
  assert.equal(JSON.parse((await visit(1, 'shop')).body).code, 'edge_silent');
  const page = await ask(tasks[1]!.port, { host: 'shop.apps.test', headers: { accept: 'text/html' } });
  assert.deepEqual([page.status, page.headers['retry-after']], [503, '5']);
  assert.match(page.body, /<h1>Back in a moment<\/h1>/);
  assert.equal(await reported(0, 'shop'), 'shop at 127.9.0.8');
  await startTheirs();
  await eventually(async () => (await reported(1, 'shop')) === 'shop at 127.9.0.8');
});
