import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, test } from 'node:test';
import { parse } from 'yaml';
import { type TestApi, testApi } from '../../../test/support/api.ts';
import { exportShop, shop, startShop } from '../../../test/support/exported-shop.ts';
import { filesOfTar } from '../../../test/support/tar-files.ts';
import { pushedReference } from '../../config/values/pushed-image.ts';
import { EngineFault } from '../../engine/engine.ts';
import type { VolumeArchive } from '../../engine/volume-facets.ts';
import { recordFilled, recordRestoreAttempt, recordRestored, requestRestore } from '../../store/restores.ts';
import { settleImage } from '../../store/revisions.ts';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
});
afterEach(async () => {
  await api.app.close();
  await api.service.db.destroy();
});

const start = (yaml?: string) => startShop(api, yaml);
const exported = (token: string, more?: string) => exportShop(api, token, more);

test('an export has the application, its data and how to start it', async () => {
  const { token } = await start();
  const files = await exported(token);
  assert.deepEqual([...files.keys()].sort(), [
    'shop/README.md',
    'shop/compose.yaml',
    'shop/document.yaml',
    'shop/kubernetes/application.yaml',
    'shop/kubernetes/loader.yaml',
    'shop/kubernetes/volumes.yaml',
    'shop/start-kubernetes.sh',
    'shop/start.sh',
    'shop/volumes/db-data.tar',
  ]);
  assert.equal(files.get('shop/document.yaml')!.toString(), shop);
  const data = await filesOfTar(files.get('shop/volumes/db-data.tar')!);
  assert.equal(data.get('./base/1')!.toString(), 'every row');
  const compose = parse(files.get('shop/compose.yaml')!.toString());
  assert.deepEqual(compose.volumes['db-data']['x-berth'].fill, { '.': 'volumes/db-data.tar' });
  const script = files.get('shop/start.sh')!.toString();
  assert.match(script, /docker compose cp - 'db:\/var\/lib\/postgresql\/data' < 'volumes\/db-data\.tar'/);
});

test('generated values are included on request, and are then the same everywhere', async () => {
  const { token } = await start();
  const without = await exported(token);
  for (const [path, content] of without) assert.doesNotMatch(content.toString(), /Aa2\b/, path);
  const files = await exported(token, '&secrets=true');
  const compose = parse(files.get('shop/compose.yaml')!.toString());
  const password = compose.services.db.environment.POSTGRES_PASSWORD as string;
  assert.match(password, /^[A-Za-z0-9]{32}$/);
  assert.equal(compose.services.web.environment.DB, `postgres://app:${password}@db:5432/app`);
  assert.ok(files.get('shop/kubernetes/application.yaml')!.toString().includes(password));
});

test('without secrets, no text contains a written one, and the document is left out', async () => {
  const own = shop.replace('{ POSTGRES_PASSWORD: <% SECRET DB_PASSWORD %> }', '{ POSTGRES_PASSWORD: tr0ub4dor }');
  const { token } = await start(own);
  const files = await exported(token, '&volumes=false');
  assert.equal(files.has('shop/document.yaml'), false);
  assert.equal(files.has('shop/volumes/db-data.tar'), false);
  for (const [path, content] of files) assert.ok(!content.includes('tr0ub4dor'), path);
  assert.match(
    files.get('shop/README.md')!.toString(),
    /The data of the volume data of pod db: the export was requested without it/,
  );
});

test("a stranger's token exports nothing, and nor does HEAD", async () => {
  const { token } = await start();
  const url = '/exportDeployment?applicationName=shop';
  assert.equal((await api.get(url)).status, 401);
  assert.equal((await api.get(url, { authorization: 'Bearer berth_nobody' })).status, 404);
  const head = await api.app.inject({ method: 'HEAD', url, headers: { authorization: `Bearer ${token}` } });
  assert.notEqual(head.statusCode, 200);
});

test('a client that leaves gives the copy back, and one export of a deployment at a time is made', async () => {
  const { token } = await start();
  const ended = Promise.withResolvers<void>();
  const { archives } = api.service.engine;
  api.service.engine.archives = {
    async take(id, volumes) {
      const taken = await archives!.take(id, volumes);
      const [first] = taken.archives;
      // More than all buffers between both ends.
      const sizeBytes = 64 * 2 ** 20;
      async function* zeros() {
        for (let sent = 0; sent < sizeBytes; sent += 2 ** 16) yield Buffer.alloc(2 ** 16);
      }
      const read = () => Readable.from(zeros(), { objectMode: false });
      return {
        ...taken,
        archives: [{ ...first!, sizeBytes, read }],
        [Symbol.asyncDispose]: async () => ended.resolve(),
      };
    },
  };
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = api.app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  const path = `/exportDeployment?applicationName=shop&sessionToken=${token}`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost:8080\r\n\r\n`);
  await once(socket, 'data');
  socket.pause();
  const second = await api.get(path);
  assert.deepEqual([second.status, second.body.code], [429, 'rate_limited']);
  assert.ok(second.headers['retry-after']);
  socket.destroy();
  await ended.promise;
});

test('a server without room for a copy says so, and what can be had all the same', async () => {
  const { token } = await start();
  api.service.engine.archives = {
    take: async () => {
      throw new EngineFault('unavailable', 'The disk has no room.', { hint: 'the operator has to make room' });
    },
  };
  const answer = await api.get('/exportDeployment?applicationName=shop', { authorization: `Bearer ${token}` });
  assert.deepEqual([answer.status, answer.body.code], [503, 'capacity_exhausted']);
  assert.match(answer.body.hint, /volumes=false/);
  assert.ok((await exported(token, '&volumes=false')).has('shop/compose.yaml'));
});

/** `during`: called while the copy is made. */
function takeWith(during: (signal: AbortSignal | undefined) => Promise<void>, archives?: Partial<VolumeArchive>[]) {
  const { archives: own } = api.service.engine;
  const disposed = Promise.withResolvers<void>();
  api.service.engine.archives = {
    async take(id, volumes, signal) {
      const taken = await own!.take(id, volumes);
      await during(signal);
      return {
        ...taken,
        archives: (archives ?? [{}]).map((changes) => ({ ...taken.archives[0]!, ...changes })),
        [Symbol.asyncDispose]: async () => disposed.resolve(),
      };
    },
  };
  return disposed.promise;
}

test('volumes never mix data from before and after a restore', async () => {
  const { token, id } = await start();
  const { db, now } = api.service;
  const url = `/exportDeployment?applicationName=shop&sessionToken=${token}`;
  const ask = () => requestRestore(db, { deploymentId: id, snapshotId: 'old', volumes: ['db-data'], now: now() });
  const filled = await ask();
  await recordRestoreAttempt(db, filled.id, 'try');
  await recordFilled(db, filled.id, 'try');
  const refused = await api.get(url);
  assert.deepEqual([refused.status, refused.body.code], [409, 'snapshot_under_way']);
  assert.match(refused.body.hint, /volumes=false/);
  assert.ok((await exported(token, '&volumes=false')).has('shop/compose.yaml'));
  await recordRestored(db, filled.id, now());
  assert.ok((await exported(token)).has('shop/volumes/db-data.tar'));

  const disposed = takeWith(async () => {
    const another = await ask();
    await recordRestoreAttempt(db, another.id, 'again');
    await recordFilled(db, another.id, 'again');
    await recordRestored(db, another.id, now());
  });
  assert.equal((await api.get(url)).body.code, 'snapshot_under_way');
  await disposed;
});

test('each archive has a name of its own, and one without a known path is said to have none', async () => {
  const { token } = await start();
  takeWith(async () => {}, [
    { below: '' },
    { below: 'a/b' },
    { below: 'a.b' },
    { below: 'A/B' },
    { below: 'c_d', isUnplaced: true },
  ]);
  const files = await exported(token);
  const names = [...files.keys()].filter((path) => path.startsWith('shop/volumes/'));
  const expected = ['db-data', 'db-data.a.b', 'db-data.a.b-2', 'db-data.A.B-3', 'db-data.c_d.unplaced'];
  assert.deepEqual(
    names,
    expected.map((name) => `shop/volumes/${name}.tar`),
  );
  const [inside, outside] = files.get('shop/README.md')!.toString().split('## What is not') as [string, string];
  assert.match(outside, /Where `volumes\/db-data\.c_d\.unplaced\.tar` belongs .* below db-data .* only `c_d` is known/);
  assert.doesNotMatch(inside, /unplaced/);
  assert.doesNotMatch(files.get('shop/start.sh')!.toString(), /unplaced/);
});

test('an image that was pushed and has gone is named among what is not there', async () => {
  const { token, id } = await start();
  const { db } = api.service;
  const reference = pushedReference(`s${'0'.repeat(16)}/web`, { digest: `sha256:${'a'.repeat(64)}`, tag: '1' });
  await db.updateTable('deployments').set({ servingRevision: 1 }).execute();
  await settleImage(db, id, 1, { image: 'nginx:1', reference, by: 'registry' });
  const files = await exported(token);
  const [, outside] = files.get('shop/README.md')!.toString().split('## What is not') as [string, string];
  assert.match(outside, /The image `shop-web:1`: parts of it are missing on Berth, where it was pushed/);
});

test('a client that leaves while the copy is made ends that', async () => {
  const { token } = await start();
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  takeWith(async (signal) => {
    begun.resolve();
    await once(signal!, 'abort');
    ended.resolve();
    throw signal!.reason;
  });
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = api.app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  const path = `/exportDeployment?applicationName=shop&sessionToken=${token}`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost:8080\r\n\r\n`);
  await begun.promise;
  socket.destroy();
  await ended.promise;
});

test('exports are counted by themselves, as starts are', async () => {
  const bounded = await testApi({ startRate: { count: 2, windowMs: 60_000 } });
  const url = '/exportDeployment?applicationName=shop';
  const statuses = [];
  for (let turn = 0; turn < 3; turn++) statuses.push((await bounded.get(url)).status);
  assert.deepEqual(statuses, [401, 401, 429]);
  await bounded.app.close();
  await bounded.service.db.destroy();
});
