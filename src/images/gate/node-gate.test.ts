import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { freePort } from '../../../test/free-port.ts';
import type { ImageRequest } from '../../deployment/plan/operation.ts';
import { type Digest, digestOf } from '../../lib/digest.ts';
import { sealWith } from '../../lib/seal.ts';
import { StartError } from '../../lib/start-error.ts';
import { ImageFault } from '../image-fault.ts';
import { narrowLimits } from '../resolve/image-limits.ts';
import type { ResolvedUpstream } from '../resolve/resolve.ts';
import { openGate } from './gate.ts';
import { openNodeGate } from './node-gate.ts';

const limits = narrowLimits({ compressedBytes: 2 ** 30, unpackedBytes: 2 ** 20 });
const platform = { os: 'linux', architecture: 'amd64' };
const login = { registry: 'r.example', username: 'me', personalAccessToken: 'the login of a user' };
const config = Buffer.from(JSON.stringify({ config: { Volumes: { '/data': {} } } }));
const manifest = Buffer.from('{"is":"a manifest"}');

/** A registry with one image that requires `login`, and both gates in front of it. */
async function openGates(options: {
  layer: Buffer;
  diffId?: Digest;
  secret?: string;
  isDown?: () => boolean;
  predecessor?: { port: number };
  at?: number;
}) {
  const { layer, diffId = digestOf(gunzipSync(layer)), secret = 'k'.repeat(32) } = options;
  const { isDown = () => false, predecessor, at } = options;
  let rest = Promise.resolve();
  const digest = digestOf(layer);
  const requested: string[] = [];
  const url = new URL('https://r.example/');
  const client = {
    async request(_: string, path: string) {
      requested.push(path);
      const body = async function* () {
        yield layer.subarray(0, 10);
        await rest;
        yield layer.subarray(10);
      };
      return { status: 200, headers: {}, url, body: Readable.from(body()) };
    },
  };
  const image: ResolvedUpstream = {
    repository: 'a/b',
    digest: digestOf(manifest),
    client,
    isForEverybody: false,
    manifest: { digest: digestOf(manifest), mediaType: 'application/vnd.oci.image.manifest.v1+json', bytes: manifest },
    config: { descriptor: { mediaType: 'x', digest: digestOf(config), sizeBytes: config.length }, bytes: config },
    layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest, sizeBytes: layer.length }],
    diffIds: [diffId],
    limits,
    payer: '',
    context: { image: 'r.example/a/b:1', registry: 'r.example', hasLogin: true },
  };
  const resolver = {
    async resolve({ image: wanted, registryLogin }: ImageRequest) {
      if (isDown()) throw new ImageFault('registry-unreachable', wanted, 'nobody answers');
      if (registryLogin?.personalAccessToken !== login.personalAccessToken)
        throw new ImageFault('image-access-denied', wanted, 'not for you');
      return image;
    },
  };
  await using opening = new AsyncDisposableStack();
  const gate = opening.use(await openGate({ host: '127.0.0.1' }));
  const port = predecessor?.port ?? at ?? (await freePort());
  const settings = { host: '127.0.0.1', port, name: 'localhost:30500' };
  const nodes = opening.use(
    await openNodeGate(settings, { gate, resolver, seal: sealWith(secret), isSucceeding: predecessor !== undefined }),
  );
  const ask = async (path: string, password: string, method = 'GET') => {
    const authorization = `Basic ${Buffer.from(`node:${password}`).toString('base64')}`;
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { authorization } });
    return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
  };
  const admit = (request: ImageRequest) => nodes.admit(request, platform, new AbortController().signal);
  const path = (kind: string, of: string) => `/v2/berth.gate/r.example/a/b/${kind}/${of}`;
  /** The rest of a layer is sent after the promise resolves. */
  const holdUntil = (then: Promise<void>) => {
    rest = then;
  };
  const opened = opening.move();
  return {
    ask,
    admit,
    save: (request: ImageRequest) => nodes.save(request, platform, new AbortController().signal),
    asked: requested,
    leave: nodes.leave,
    holdUntil,
    digest,
    path,
    port,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const request = { image: 'r.example/a/b:1', registryLogin: login };

test('with its pass a node gets manifest, configuration and layers of the image, without one nothing', async () => {
  const layer = gzipSync(randomBytes(1_000));
  await using gates = await openGates({ layer });
  const { reference, volumes, digest, pass } = await gates.admit(request);
  assert.equal(reference, `localhost:30500/berth.gate/r.example/a/b@${digestOf(manifest)}`);
  assert.deepEqual([volumes, digest, pass.registry], [['/data'], digestOf(manifest), 'localhost:30500']);
  assert.deepEqual((await gates.ask('/v2/', pass.password)).status, 200);
  for (const [kind, of, body] of [
    ['manifests', digestOf(manifest), manifest],
    ['blobs', digestOf(config), config],
    ['blobs', gates.digest, layer],
  ] as const)
    assert.deepEqual(await gates.ask(gates.path(kind, of), pass.password), { status: 200, body });
  for (const password of ['', 'guess', `${pass.password}x`.slice(1)])
    assert.equal((await gates.ask(gates.path('blobs', gates.digest), password)).status, 401);
  assert.equal((await fetch(`http://127.0.0.1:${gates.port}/v2/`)).status, 401);
  assert.equal((await gates.ask('/v2/_catalog', pass.password)).status, 404);
  assert.equal((await gates.ask(gates.path('blobs', digestOf(Buffer.from('else'))), pass.password)).status, 404);
  assert.equal((await gates.ask('/v2/berth.gate/r.example/other/manifests/1', pass.password)).status, 404);
  assert.equal((await gates.ask(gates.path('blobs', gates.digest), pass.password, 'DELETE')).status, 405);
});

test('a whole image is a tar in the format of docker save, also for a build, with access to it alone', async () => {
  const layer = gzipSync(randomBytes(100_000));
  await using gates = await openGates({ layer });
  await assert.rejects(gates.save({ image: request.image }), { kind: 'image-access-denied' });
  const saved = await gates.save(request);
  assert.equal(saved.id, digestOf(config));
  const entries = saved.open(new AbortController().signal).pipe(extract());
  const files = new Map<string, Buffer>();
  for await (const entry of entries)
    files.set(entry.header.name, Buffer.concat(await Array.fromAsync(entry as AsyncIterable<Buffer>)));
  assert.deepEqual([files.get('0.tar'), files.get('config.json')], [layer, config]);
  const list = JSON.parse(String(files.get('manifest.json')));
  assert.deepEqual(list, [{ Config: 'config.json', Layers: ['0.tar'] }]);
});

test('without access to the image a pass is refused, and a pass does not reveal the login', async () => {
  await using gates = await openGates({ layer: gzipSync('x') });
  await assert.rejects(gates.admit({ image: request.image }), { kind: 'image-access-denied' });
  const { pass } = await gates.admit(request);
  const shown = Buffer.from(pass.password, 'base64url').toString('latin1');
  for (const word of [login.personalAccessToken, login.username, 'r.example']) assert.ok(!shown.includes(word));
});

test('another process with the same key takes the pass, and one with another key does not', async () => {
  const layer = gzipSync('the layer');
  await using first = await openGates({ layer });
  await using second = await openGates({ layer });
  await using foreign = await openGates({ layer, secret: 'another key of thirty-two letters' });
  const { pass } = await first.admit(request);
  assert.deepEqual(await second.ask(second.path('blobs', second.digest), pass.password), { status: 200, body: layer });
  assert.equal((await foreign.ask(foreign.path('blobs', foreign.digest), pass.password)).status, 401);
});

test('its registry shows each layer once before a node has a pass, and one that unpacks to too much gets none', async () => {
  await using gates = await openGates({ layer: gzipSync(randomBytes(5_000)) });
  await gates.admit(request);
  await gates.admit(request);
  assert.deepEqual(gates.asked, [`blobs/${gates.digest}`]);
  await using bomb = await openGates({ layer: gzipSync(Buffer.alloc(3 * 2 ** 20)) });
  await assert.rejects(bomb.admit(request), /unpacks to more than/);
});

test('a false unpacked digest that belongs to another user’s layer gets no pass', async () => {
  const layer = gzipSync('the layer');
  await using gates = await openGates({ layer, diffId: digestOf('of another user') });
  const refusal = /has a layer that differs from its configuration/;
  await assert.rejects(gates.admit(request), refusal);
  await assert.rejects(gates.admit(request), refusal);
});

test('a value sealed with the same key for another purpose is not accepted as a pass', async () => {
  await using gates = await openGates({ layer: gzipSync('x') });
  const passOf = (content: object) =>
    Buffer.from(sealWith('k'.repeat(32)).close(JSON.stringify(content))).toString('base64url');
  const said = { image: request.image, login, platform };
  const statusOf = async (content: object) => (await gates.ask('/v2/', passOf(content))).status;
  assert.equal(await statusOf({ purpose: 'registry token', ...said }), 401);
  assert.equal(await statusOf({ ...said, endsAt: 1 }), 401);
  assert.equal(await statusOf({ purpose: 'node-gate', ...said }), 200);
  assert.equal(await statusOf(said), 401);
});

test('a registry that is away is an answer that a node tries again after', async () => {
  let isDown = false;
  await using gates = await openGates({ layer: gzipSync('x'), isDown: () => isDown });
  const { pass } = await gates.admit(request);
  isDown = true;
  assert.equal((await gates.ask(gates.path('manifests', digestOf(manifest)), pass.password)).status, 502);
  isDown = false;
  assert.equal((await gates.ask(gates.path('manifests', digestOf(manifest)), pass.password)).status, 200);
});

test('the next process listens at the same port as the one that leaves, and opens its passes', async () => {
  const layer = gzipSync('x');
  const leaving = await openGates({ layer });
  const { pass } = await leaving.admit(request);
  await using gates = await openGates({ layer, predecessor: leaving });
  await leaving[Symbol.asyncDispose]();
  assert.equal((await gates.ask(gates.path('manifests', digestOf(manifest)), pass.password)).status, 200);
});

test('nodes that pull from one that leaves get all of the layer, and then it is left', async () => {
  const layer = gzipSync(randomBytes(1_000));
  const { promise, resolve } = Promise.withResolvers<void>();
  await using leaving = await openGates({ layer });
  const { pass } = await leaving.admit(request);
  leaving.holdUntil(promise);
  await using _gates = await openGates({ layer, predecessor: leaving });
  const known = leaving.asked.length;
  // Each request reaches one of the two.
  const pulls: ReturnType<typeof leaving.ask>[] = [];
  while (leaving.asked.length === known) {
    pulls.push(leaving.ask(leaving.path('blobs', leaving.digest), pass.password));
    await new Promise(setImmediate);
  }
  const left = leaving.leave(60_000).then(() => 'left');
  assert.equal(await Promise.race([left, new Promise((later) => setTimeout(later, 100, 'not yet'))]), 'not yet');
  resolve();
  for (const pull of pulls) assert.deepEqual(await pull, { status: 200, body: layer });
  assert.equal(await left, 'left');
});

test("the next process shares its port with no other program: that would get half of the nodes' requests", async () => {
  await using foreign = await openGates({ layer: gzipSync('x'), secret: 'another key of thirty-two letters' });
  await assert.rejects(openGates({ layer: gzipSync('x'), predecessor: foreign }), StartError);
});

test('of two that start in the same instant one begins to listen, and the next one after it', async () => {
  const port = await freePort();
  const other = createServer().listen({ path: `\0berth-node-gate 127.0.0.1 ${port}` });
  await once(other, 'listening');
  await assert.rejects(openGates({ layer: gzipSync('x'), at: port }), StartError);
  await other[Symbol.asyncDispose]();
  await using gates = await openGates({ layer: gzipSync('x'), at: port });
  assert.equal((await gates.ask('/v2/', '')).status, 401);
});

test('a port in use is reported with the name of the setting', async () => {
  await using gates = await openGates({ layer: gzipSync('x') });
  const parts = {
    gate: { take: async () => {}, unpack: async () => {}, confirm: async () => {} },
    limits,
    seal: sealWith('x'.repeat(32)),
  };
  const resolver = { resolve: () => assert.fail() };
  await assert.rejects(
    openNodeGate({ host: '127.0.0.1', port: gates.port, name: 'x' }, { ...parts, resolver }),
    (error) => error instanceof StartError && /BERTH_GATE/.test(error.message),
  );
});
