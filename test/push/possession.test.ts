/** Access to pushed images, and its limits. */
import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { namespaceOf } from '../../src/images/pushed/repository-names.ts';
import { digestOf } from '../../src/lib/digest.ts';
import { addApiKey } from '../../src/store/api-keys.ts';
import { attachSession } from '../../src/store/sessions.ts';
import { addAccount } from '../support/accounts.ts';
import { type ImageRegistry, imageManifest, ociImage, ociIndex, openImageRegistry } from '../support/image-registry.ts';

const megabyte = 2 ** 20;
let registry: ImageRegistry;
type Pusher = Awaited<ReturnType<ImageRegistry['pusher']>>;
let owner: Pusher;
let stranger: Pusher;
before(async () => {
  registry = await openImageRegistry({
    maxBytes: 12 * megabyte,
    settings: {
      strangers: { perSession: 100, perAddress: 100, memoryBytesPerAddress: 2 ** 40, imageBytes: 8 * megabyte },
      tiers: [
        ...([
          { name: 'free', deployments: 3, memoryBytes: 2 ** 30, allowsReservations: false, lifetimeMs: null },
        ] as const),
      ],
    },
  });
  owner = await registry.pusher();
  stranger = await registry.pusher();
});
after(() => registry.close());
afterEach(async () => {
  await registry.service.db.deleteFrom('imageNamespaces').execute();
});

async function begin({ token, namespace }: Pusher, query = '', name = 'api') {
  return await registry.ask('POST', `/v2/${namespace}/${name}/blobs/uploads/${query}`, { token });
}

async function pushBlob(pusher: Pusher, blob: Uint8Array) {
  const { headers } = await begin(pusher);
  return await registry.ask('PUT', `${headers.get('location')}?digest=${digestOf(blob)}`, {
    token: pusher.token,
    body: blob,
  });
}

/** The bytes of an upload in its file. */
async function writtenBytes(location: string): Promise<number> {
  const folder = dirname(registry.folder.stagingPath('x'));
  const name = (await readdir(folder)).find((each) => each.startsWith(basename(location)));
  return (await stat(join(folder, name!))).size;
}

/** Looks until it is so: a loaded machine takes its time. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('every request requires a known password', async () => {
  for (const token of [undefined, 'berth_guess', 'berthkey_guess']) {
    const { status, headers, error } = await registry.ask('GET', '/v2/', token === undefined ? {} : { token });
    assert.deepEqual([status, error?.code], [401, 'UNAUTHORIZED']);
    assert.match(headers.get('www-authenticate') ?? '', /^Bearer realm=/);
  }
  assert.equal((await registry.ask('GET', '/v2/', { token: owner.token })).status, 200);
  const headers = { authorization: `Bearer ${owner.token}` };
  assert.equal((await registry.ask('GET', '/v2/', { headers })).status, 200);
});

test('a token is invalid when its session has ended', async () => {
  const ended = await registry.pusher();
  await registry.service.db
    .updateTable('deployments')
    .set({ removedAt: 1 })
    .where('sessionId', '=', ended.sessionId)
    .execute();
  assert.equal((await registry.ask('GET', '/v2/', { token: ended.token })).status, 401);
});

test("another session's images are out of reach, and the refusal says what one's own are named", async () => {
  const blob = Buffer.from('of the owner alone');
  await pushBlob(owner, blob);
  for (const [method, path] of [
    ['GET', `blobs/${digestOf(blob)}`],
    ['HEAD', `blobs/${digestOf(blob)}`],
    ['GET', 'tags/list'],
    ['GET', 'manifests/1'],
    ['POST', 'blobs/uploads/'],
    ['PUT', 'manifests/1'],
    ['DELETE', 'manifests/1'],
  ] as const) {
    const { status, error } = await registry.ask(method, `/v2/${owner.namespace}/api/${path}`, {
      token: stranger.token,
    });
    assert.equal(status, 403, `${method} ${path}`);
    if (method !== 'HEAD') assert.ok(error?.message.includes(`localhost:8080/${stranger.namespace}/<name>`));
  }
});

test('only a client that has proven to have a blob learns that the server has it', async () => {
  const blob = Buffer.from('known by its digest');
  await pushBlob(owner, blob);
  const requested = `blobs/${digestOf(blob)}`;
  const before = await registry.ask('HEAD', `/v2/${stranger.namespace}/api/${requested}`, { token: stranger.token });
  assert.equal(before.status, 404);
  for (const from of [`${owner.namespace}/api`, `${stranger.namespace}/api`, '', '../x']) {
    const mounted = await begin(stranger, `?mount=${digestOf(blob)}&from=${encodeURIComponent(from)}`);
    assert.equal(mounted.status, 202, `mount from ${JSON.stringify(from)} begins an upload and gives nothing`);
  }
  assert.equal((await pushBlob(stranger, blob)).status, 201);
  const having = await registry.ask('HEAD', `/v2/${stranger.namespace}/api/${requested}`, { token: stranger.token });
  assert.equal(having.status, 200);
});

test('a manifest cannot name blobs of another session, whose bytes it would make its own', async () => {
  const [config, layer] = [Buffer.from('{}'), Buffer.from('secret layer')];
  await pushBlob(owner, layer);
  await pushBlob(stranger, config);
  const { status, error } = await registry.ask('PUT', `/v2/${stranger.namespace}/api/manifests/1`, {
    token: stranger.token,
    body: imageManifest(config, [layer]),
    headers: { 'content-type': ociImage },
  });
  assert.deepEqual([status, error?.code], [404, 'MANIFEST_BLOB_UNKNOWN']);
});

test('a manifest cannot say another size of a blob than it has, nor an index name what is not there', async () => {
  const config = Buffer.from('{}');
  await pushBlob(owner, config);
  const put = (body: Uint8Array, type: string) =>
    registry.ask('PUT', `/v2/${owner.namespace}/api/manifests/1`, {
      token: owner.token,
      body,
      headers: { 'content-type': type },
    });
  const lie = JSON.parse(imageManifest(config, []).toString());
  lie.config.size = 3;
  assert.equal((await put(Buffer.from(JSON.stringify(lie)), ociImage)).error?.code, 'MANIFEST_INVALID');
  const manifests = [{ mediaType: ociImage, digest: digestOf('nothing'), size: 3 }];
  const index = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: ociIndex, manifests }));
  assert.equal((await put(index, ociIndex)).error?.code, 'MANIFEST_BLOB_UNKNOWN');
});

test('an upload is known in its repository alone', async () => {
  const { headers } = await begin(owner);
  const id = headers.get('docker-upload-uuid');
  for (const [pusher, name] of [
    [owner, 'other'],
    [stranger, 'api'],
  ] as const) {
    const path = `/v2/${pusher.namespace}/${name}/blobs/uploads/${id}`;
    assert.equal((await registry.ask('PATCH', path, { token: pusher.token, body: 'x' })).status, 404);
  }
});

test('two requests that write to one upload at once do not mix', async () => {
  const { headers } = await begin(owner);
  const location = headers.get('location')!;
  const [host = '', port = ''] = registry.host.split(':');
  const slow = request({
    host,
    port,
    path: location,
    method: 'PATCH',
    headers: { authorization: `Bearer ${owner.token}` },
  });
  slow.write('slow');
  await until(async () => (await writtenBytes(location)) === 4);
  const { status } = await registry.ask('PATCH', location, { token: owner.token, body: 'x' });
  assert.equal(status, 400);
  const answered = Promise.withResolvers<number | undefined>();
  slow.on('response', (response) => answered.resolve(response.statusCode));
  slow.end('ly');
  assert.equal(await answered.promise, 202);
  const put = await registry.ask('PUT', `${location}?digest=${digestOf('slowly')}`, { token: owner.token });
  assert.equal(put.status, 201);
});

test('what has come before a connection was cut stays, and the client goes on from there, even after a restart', async () => {
  const { headers } = await begin(owner);
  const location = headers.get('location')!;
  const [host = '', port = ''] = registry.host.split(':');
  const cut = request({
    host,
    port,
    path: location,
    method: 'PATCH',
    headers: { authorization: `Bearer ${owner.token}` },
  });
  cut.on('error', () => {});
  cut.write('first half, ');
  await until(async () => (await writtenBytes(location)) === 12);
  cut.destroy();
  await until(
    async () => (await registry.ask('GET', location, { token: owner.token })).headers.get('range') === '0-11',
  );
  registry.images.uploads.end(`${owner.namespace}/api`, headers.get('docker-upload-uuid')!);
  const put = await registry.ask('PUT', `${location}?digest=${digestOf('first half, second half')}`, {
    token: owner.token,
    body: 'second half',
  });
  assert.equal(put.status, 201);
});

test('an address has a push limit without an account, across all of its sessions, and sees it in the refusal', async () => {
  assert.equal((await pushBlob(owner, Buffer.alloc(5 * megabyte, 1))).status, 201);
  const more = await pushBlob(stranger, Buffer.alloc(4 * megabyte, 2));
  assert.deepEqual([more.status, more.error?.code], [403, 'DENIED']);
  assert.match(more.error!.message, /an address may push 8 MiB of images; 5 MiB are there/);
});

test('a layer that several sessions of an address have counts once', async () => {
  const shared = Buffer.alloc(3 * megabyte, 1);
  for (const pusher of [owner, stranger]) assert.equal((await pushBlob(pusher, shared)).status, 201);
  assert.equal((await pushBlob(owner, Buffer.alloc(5 * megabyte, 2))).status, 201);
});

test('the refusal of a push names the bytes of unfinished uploads, which count too', async () => {
  const pusher = await registry.pusher();
  const { token } = pusher;
  const { headers } = await registry.ask('POST', `/v2/${pusher.namespace}/api/blobs/uploads/`, { token });
  const location = headers.get('location')!;
  const unfinished = await registry.ask('PATCH', location, { token, body: Buffer.alloc(2 * megabyte, 3) });
  assert.equal(unfinished.status, 202);
  const more = await pushBlob(pusher, Buffer.alloc(7 * megabyte, 4));
  assert.match(more.error?.message ?? '', /8 MiB of images; .* are there, and 2 MiB are in unfinished uploads\. /);
  assert.equal((await registry.ask('DELETE', location, { token })).status, 204);
});

test('what is pushed counts to the address that pushed to the session first, from wherever it is pushed later', async () => {
  const from = (address: string) => ({ token: pusher.token, headers: { 'x-berth-client': address } });
  const pusher = await registry.pusher();
  const at = `/v2/${pusher.namespace}/api/blobs/uploads/`;
  const push = async (address: string, blob: Uint8Array) => {
    const { headers } = await registry.ask('POST', at, from('192.0.2.1'));
    const query = `?digest=${digestOf(blob)}`;
    return await registry.ask('PUT', headers.get('location') + query, { ...from(address), body: blob });
  };
  assert.equal((await push('192.0.2.2', Buffer.alloc(5 * megabyte, 11))).status, 201);
  const more = await push('192.0.2.3', Buffer.alloc(4 * megabyte, 12));
  assert.match(more.error?.message ?? '', /an address may push 8 MiB of images; 5 MiB are there/);
  const { db } = registry.service;
  await db.deleteFrom('pushedBlobs').where('namespace', '=', pusher.namespace).execute();
});

test('of many uploads at once, no more is taken than may be pushed', async () => {
  const pusher = await registry.pusher();
  const blobs = Array.from({ length: 12 }, (_, index) => Buffer.alloc(2 * megabyte, 20 + index));
  const answers = await Promise.all(blobs.map((blob) => pushBlob(pusher, blob)));
  const statuses = answers.map(({ status }) => status);
  assert.ok(statuses.every((status) => [201, 403].includes(status)));
  const { db } = registry.service;
  const rows = await db
    .selectFrom('pushedBlobs')
    .select('sizeBytes')
    .where('namespace', '=', pusher.namespace)
    .execute();
  assert.ok(rows.length >= 1 && rows.length <= 4, `${rows.length} of 4 blobs that have room`);
  await db.deleteFrom('pushedBlobs').where('namespace', '=', pusher.namespace).execute();
});

test('who does not say how long a layer is, is stopped where it becomes too long', async () => {
  const { headers } = await begin(owner);
  // Not endless: a `fetch` that is broken off may read what it was given to its end, without a pause.
  let left = 40 * megabyte;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (left <= 0) return controller.close();
      left -= 65_536;
      controller.enqueue(new Uint8Array(65_536));
    },
  });
  const answer = await registry
    .ask('PATCH', headers.get('location')!, { token: owner.token, body })
    // The client may notice first that the server does not read.
    .catch(() => undefined);
  if (answer) assert.equal(answer.error?.code, 'DENIED');
  assert.ok(registry.images.uploads.bytes() <= 9 * megabyte);
  await registry.ask('DELETE', headers.get('location')!, { token: owner.token });
});

test('an account pushes with an API key, counts to its plan, and reaches the images of its sessions', async () => {
  const accountId = 'account-of-the-test';
  const key = 'berthkey_for-this-test-alone-0000000';
  const { db } = registry.service;
  await addAccount(db, accountId);
  await addApiKey(db, accountId, { key, id: 'k', name: 'laptop', start: 'berthkey_f', createdAt: 1 });
  const claimed = await registry.pusher();
  await pushBlob(claimed, Buffer.from('before the claim'));
  await attachSession(db, claimed.sessionId, accountId);

  const own = { token: key, sessionId: '', namespace: namespaceOf({ kind: 'account', accountId }) };
  assert.equal((await pushBlob(own, Buffer.alloc(9 * megabyte, 3))).status, 201, 'a plan allows more than an address');
  const ofSession = await registry.ask('HEAD', `/v2/${claimed.namespace}/api/blobs/${digestOf('before the claim')}`, {
    token: key,
  });
  assert.equal(ofSession.status, 200);
  const ofOther = await registry.ask('GET', `/v2/${owner.namespace}/api/tags/list`, { token: key });
  assert.equal(ofOther.status, 403);
  const all = await pushBlob(own, Buffer.alloc(4 * megabyte, 4));
  assert.match(all.error?.message ?? '', /this server has no room left for pushed images/);
});

test('an address has so many uploads open, and no more', async () => {
  const begunFrom = async (address: string, { token, namespace }: Pusher) => {
    const options = { token, headers: { 'x-berth-client': address } };
    return (await registry.ask('POST', `/v2/${namespace}/api/blobs/uploads/`, options)).status;
  };
  const [busy, other] = [await registry.pusher(), await registry.pusher()];
  for (let count = 0; count < 50; count++) assert.equal(await begunFrom('192.0.2.8', busy), 202);
  assert.equal(await begunFrom('192.0.2.8', busy), 429);
  assert.equal(await begunFrom('192.0.2.8', other), 429);
  assert.equal(await begunFrom('192.0.2.9', owner), 202);
});

test('a manifest is bounded, and its body is not read to its end', async () => {
  const { status, error } = await registry.ask('PUT', `/v2/${owner.namespace}/api/manifests/1`, {
    token: owner.token,
    body: Buffer.alloc(4 * megabyte + 1, ' '),
    headers: { 'content-type': ociImage },
  });
  assert.deepEqual([status, error?.code], [413, 'SIZE_INVALID']);
});
