/** A start that fails at any of its steps leaves nothing behind; one that succeeds leaves HAProxy, and that alone. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { edgePaths } from '../../src/edge/edge-paths.ts';
import { stopEdge } from '../../src/edge/haproxy/haproxy.ts';
import { findProxies } from '../../src/edge/haproxy/haproxy-process.ts';
import { openSqlite } from '../../src/store/database.ts';
import { freePort } from '../free-port.ts';
import { programFile } from '../program.ts';

const dataDirs: string[] = [];
after(async () => {
  for (const dataDir of dataDirs) {
    await stopEdge(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
});

type Place = { dataDir: string; port: number };

async function newPlace(): Promise<Place> {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-start-'));
  dataDirs.push(dataDir);
  return { dataDir, port: await freePort() };
}

const environmentOf = ({ dataDir, port }: Place) => {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE, BERTH_ENGINE: 'memory', BERTH_DATA_DIR: dataDir, BERTH_PORT: String(port) };
};

/** Resolves when the process has ended by itself. */
async function start(place: Place, env: Record<string, string> = {}, argument?: string) {
  const entry = programFile('test/scenarios/started-service.ts');
  const service = spawn(process.execPath, [entry, ...(argument ? [argument] : [])], {
    env: { ...environmentOf(place), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [service.stdout, service.stderr]) stream.on('data', (text) => (output += text));
  const [code, signal] = await once(service, 'close');
  return { code, signal, output };
}

async function leftBehind({ dataDir }: Place): Promise<string[]> {
  const paths = edgePaths(dataDir);
  return [
    ...(await findProxies(paths)).map((pid) => `HAProxy ${pid}`),
    ...[paths.apiSocket, paths.pagesSocket, paths.adminSocket, join(dataDir, 'berth.pid')].filter(existsSync),
  ];
}

/** Each makes one step fail; answers what it has put in the way. */
const steps: Record<
  string,
  { words: RegExp; env?: (place: Place) => Record<string, string>; prevent: (place: Place) => Promise<string[]> }
> = {
  'the data directory': {
    words: /already serves/,
    async prevent({ dataDir }) {
      const { run, apiSocket } = edgePaths(dataDir);
      await mkdir(run);
      const other = createServer((socket) => socket.destroy()).listen(apiSocket);
      await once(other, 'listening');
      closing.push(() => other.close());
      return [apiSocket];
    },
  },
  'the store': {
    words: /unable to open|EISDIR/,
    async prevent({ dataDir }) {
      await mkdir(join(dataDir, 'berth.db'));
      return [];
    },
  },
  'the keys': {
    words: /EISDIR|secret\.key/,
    async prevent({ dataDir }) {
      await mkdir(join(dataDir, 'secret.key'));
      return [];
    },
  },
  'the choice of the engine': {
    words: /the engine must be one of docker, kubernetes, memory/,
    env: () => ({ BERTH_ENGINE: 'elsewhere' }),
    prevent: async () => [],
  },
  'the engine': {
    words: /No Docker engine responds/,
    env: () => ({ BERTH_ENGINE: 'docker', DOCKER_HOST: 'unix:///nowhere/docker.sock' }),
    prevent: async () => [],
  },
  'a cluster without a name': {
    words: /The kubeconfig cannot be read/,
    env: () => ({ BERTH_ENGINE: 'kubernetes', KUBECONFIG: '/nowhere/kubeconfig' }),
    prevent: async () => [],
  },
  'a cluster that does not answer': {
    words: /The cluster at 127\.0\.0\.1:1 cannot be used: /,
    env: ({ dataDir }) => ({ BERTH_ENGINE: 'kubernetes', KUBECONFIG: join(dataDir, 'kubeconfig') }),
    async prevent({ dataDir }) {
      await writeFile(join(dataDir, 'kubeconfig'), JSON.stringify(silentCluster));
      return [];
    },
  },
  'the edge': {
    words: /set BERTH_PORT to another one/,
    async prevent({ port }) {
      const other = createServer().listen(port, '127.0.0.1');
      await once(other, 'listening');
      closing.push(() => other.close());
      return [];
    },
  },
  'the pages of the edge': {
    words: /pages\.sock|EISDIR/,
    async prevent({ dataDir }) {
      const { pagesSocket } = edgePaths(dataDir);
      await mkdir(pagesSocket, { recursive: true });
      return [pagesSocket];
    },
  },
  'the loop': {
    words: /no takeover here/,
    async prevent({ dataDir }) {
      const db = await openSqlite(join(dataDir, 'berth.db'));
      await sql`pragma foreign_keys = off`.execute(db);
      await db.insertInto('leases').values(anybodysLease).execute();
      await sql`create trigger stuck before update on leases begin select raise(abort, 'no takeover here'); end`.execute(
        db,
      );
      await db.destroy();
      return [];
    },
  },
  'the socket of the API': {
    words: /api\.sock|EISDIR/,
    async prevent({ dataDir }) {
      const { apiSocket } = edgePaths(dataDir);
      await mkdir(apiSocket, { recursive: true });
      return [apiSocket];
    },
  },
  'the last step of all': {
    words: /EISDIR/,
    async prevent({ dataDir }) {
      const file = join(dataDir, 'berth.pid');
      await mkdir(file);
      return [file];
    },
  },
};

const silentCluster = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'away',
  clusters: [{ name: 'away', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'away', user: {} }],
  contexts: [{ name: 'away', context: { cluster: 'away', user: 'away' } }],
};

const anybodysLease = { deploymentId: 'x', dueAt: 0, token: 'another', leasedUntil: 0, observedHash: null };
const closing: (() => void)[] = [];

for (const [step, { words, env, prevent }] of Object.entries(steps))
  test(`a start that fails at ${step} leaves nothing behind, and its process ends by itself`, async () => {
    const place = await newPlace();
    const obstacles = await prevent(place);
    const { code, output } = await start(place, env?.(place));
    const left = await leftBehind(place);
    for (const close of closing.splice(0)) close();
    assert.equal(code, 1, output);
    assert.match(output, words);
    assert.deepEqual(left, obstacles);
  });

test('a service that stops leaves HAProxy running, which a later start that fails leaves alone', async () => {
  const place = await newPlace();
  const { code, output } = await start(place, {}, 'stop');
  assert.equal(code, 0, output);
  const left = await leftBehind(place);
  assert.equal(left.length, 2, String(left));
  assert.match(left[0]!, /^HAProxy/);
  const { apiSocket } = edgePaths(place.dataDir);
  await mkdir(apiSocket);
  assert.equal((await start(place)).code, 1);
  assert.deepEqual(
    (await leftBehind(place)).filter((what) => what !== apiSocket),
    left,
  );
});

test('`npm run down` ends a service that only starts', async () => {
  const place = await newPlace();
  const { edge, run, serviceSocket } = edgePaths(place.dataDir);
  await mkdir(run);
  await mkdir(edge);
  // The running service never hands over.
  const { promise: isRequested, resolve: announceRequest } = Promise.withResolvers<void>();
  const other = createServer((socket) => socket.once('data', () => announceRequest())).listen(serviceSocket);
  await once(other, 'listening');
  const starting = start(place);
  await isRequested;
  const down = spawn(process.execPath, [programFile('scripts/down.ts'), '--yes'], { env: environmentOf(place) });
  const said = (await down.stdout.toArray()).join('');
  assert.match(said, /Berth stopped\nEverything is removed/);
  assert.equal((await starting).signal, 'SIGTERM');
  assert.deepEqual(await leftBehind(place), []);
  other.close();
});
