import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { createServerSockets, type ServerSockets } from './server-sockets.ts';
import { prepareRunDirectory } from './sockets.ts';

async function directory(t: { after(end: () => Promise<void>): void }): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-doors-'));
  t.after(() => rm(dataDir, { recursive: true }));
  await prepareRunDirectory(dataDir);
  return join(dataDir, 'run');
}

/** A server that sends `name` to each client of `socket`. */
async function serverAt(serverSockets: ServerSockets, socket: string, name: string): Promise<Server> {
  // A client that only probes for a server reads nothing.
  const server = createServer((connection) => connection.on('error', () => {}).end(name));
  await serverSockets.at(socket)((path) => new Promise<void>((resolve) => server.listen(path, () => resolve())));
  return server;
}

const saidAt = (socket: string) => text(createConnection(socket));
const closed = (server: Server) => new Promise((resolve) => server.close(resolve));

test('a replaced service takes its place again as often as necessary, and leaves nothing', async (t) => {
  const run = await directory(t);
  const sockets = ['api.sock', 'pages.sock'].map((name) => join(run, name));
  const [first, second] = [createServerSockets(), createServerSockets()];
  const servers: Server[] = [];
  for (const [serverSockets, name] of [
    [first, 'first'],
    [second, 'second'],
  ] as const)
    for (const socket of sockets) servers.push(await serverAt(serverSockets, socket, name));
  const said = () => Promise.all(sockets.map(saidAt));
  await first.open();
  assert.deepEqual(await said(), ['first', 'first']);
  await second.open();
  assert.deepEqual(await said(), ['second', 'second']);
  await first.open();
  await first.open();
  assert.deepEqual(await said(), ['first', 'first']);
  await Promise.all(servers.map(closed));
  await second[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
  assert.deepEqual(await readdir(run), []);
});

test('a private door is for the own user only', async (t) => {
  const run = await directory(t);
  const socket = join(run, 'private', 'service.sock');
  await using serverSockets = createServerSockets();
  const server = createServer();
  await serverSockets.at(
    socket,
    'private',
  )((path) => new Promise<void>((resolve) => server.listen(path, () => resolve())));
  await serverSockets.open();
  assert.equal((await stat(socket)).mode & 0o777, 0o600);
  assert.equal((await stat(dirname(socket))).mode & 0o777, 0o700);
  await closed(server);
});

test('the names of servers that were killed go, those of others stay', async (t) => {
  const run = await directory(t);
  const socket = join(run, 'api.sock');
  const [killed, other, ours] = [createServerSockets(), createServerSockets(), createServerSockets()];
  const dead = await serverAt(killed, socket, 'dead');
  const alive = await serverAt(other, socket, 'alive');
  await killed.open();
  // The process ends, and its socket file remains under its temporary name, as after kill -9.
  await closed(dead);
  await assert.rejects(saidAt(socket), /ECONNREFUSED/);
  const own = await serverAt(ours, socket, 'ours');
  await ours.open();
  assert.equal(await saidAt(socket), 'ours');
  assert.equal((await readdir(run)).length, 3, 'the socket, our name for it, and that of the other one');
  await other.open();
  assert.equal(await saidAt(socket), 'alive');
  await Promise.all([alive, own].map(closed));
});
