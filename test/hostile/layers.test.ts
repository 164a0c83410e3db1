/** Attacks by a registry through the layers of an image: their contents, their unpacked form, and access to them. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { after, beforeEach, describe, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { RegistryLogin } from '../../src/config/spec/spec.ts';
import { blobOf, openRegistryStage } from './registry-stage.ts';

const stage = await openRegistryStage();
const { evil, routes, resolve, send, publish, refusedAs, pull, givenUp } = stage;

describe('a hostile registry', () => {
  after(async () => await stage[Symbol.asyncDispose]());
  beforeEach(() => stage.clear());

  test('cannot send something else than a digest says', async () => {
    const layer = blobOf(randomBytes(100_000));
    publish('x', [layer]);
    const wrong = `sha256:${'0'.repeat(64)}`;
    routes.set(`/v2/x/manifests/${wrong}`, routes.get('/v2/x/manifests/1')!);
    await refusedAs(resolve(`${evil}/x@${wrong}`), 'bad-request', /does not match its digest/);
    for (const [bytes, words] of [
      [randomBytes(100_000), /does not match its digest/],
      [layer.bytes.subarray(1), /is shorter than its manifest says/],
      [Buffer.concat([layer.bytes, layer.bytes]), /is longer than its manifest says/],
    ] as const) {
      routes.set(`/v2/x/blobs/${layer.digest}`, send(bytes));
      await givenUp('x', words);
    }
  });

  test('cannot send what unpacks to more than an image may have, however it is packed', async () => {
    const zeros = Buffer.alloc(7_000_000);
    for (const bytes of [gzipSync(zeros), Buffer.concat([gzipSync(zeros), gzipSync(zeros)]), zstdCompressSync(zeros)]) {
      const bomb = blobOf(bytes);
      publish('x', [bomb]);
      await givenUp('x', /unpacks to more than 5\.7 MiB/);
    }
    // Each alone would do.
    const halves = [blobOf(gzipSync(zeros.subarray(0, 3_500_000))), blobOf(gzipSync(zeros.subarray(0, 3_600_000)))];
    publish('x', halves);
    const { came, fault } = await pull(`${evil}/x:1`);
    assert.deepEqual(came, []);
    assert.match(fault?.message ?? '', /unpacks to more than 5\.7 MiB/);
  });

  test('cannot fill the disk: what has no room there is cut off before it is there', async () => {
    const layer = blobOf(gzipSync(Buffer.alloc(5_000_000)));
    publish('x', [layer]);
    const { came, fault } = await pull(`${evil}/x:1`, { roomBytes: 4_000_000 });
    assert.deepEqual([fault?.kind, came], ['out-of-disk', []]);
    assert.equal((await pull(`${evil}/x:1`, { roomBytes: 5_000_000 })).fault, undefined);
  });

  test('cannot have a layer run that it does not have, although it is on the host', async () => {
    const layer = blobOf(gzipSync(randomBytes(1_000)));
    const faultOf = async (image: string, registryLogin?: RegistryLogin) =>
      (await pull(image, registryLogin && { registryLogin })).fault?.message;
    for (const repository of ['thief', 'second-thief', 'owner', 'another-owner']) publish(repository, [layer]);
    const lies: RequestListener[] = [(_, response) => void response.writeHead(404).end(), send(randomBytes(1_000))];
    lies.forEach((lie, index) => {
      routes.set(`/v2/${['thief', 'second-thief'][index]}/blobs/${layer.digest}`, lie);
    });
    const refused = [/does not exist/, /cannot be had/];
    const login = { registry: evil, username: 'me', personalAccessToken: 'secret' };
    // An image that one user's login has opened stays closed to all other users.
    assert.equal(await faultOf(`${evil}/owner:1`, login), undefined);
    assert.match((await faultOf(`${evil}/thief:1`)) ?? '', refused[0]!);
    assert.match((await faultOf(`${evil}/second-thief:1`)) ?? '', refused[1]!);
    // An image that its registry shows without a login is open to all users.
    assert.equal(await faultOf(`${evil}/another-owner:1`), undefined);
    assert.equal(await faultOf(`${evil}/thief:1`), undefined);
  });

  test('cannot have a layer run that another one has, by saying that its own unpacks to that', async () => {
    const own = blobOf(gzipSync('what the attacker has'));
    publish('x', [{ ...own, unpacked: Buffer.from('the data of another user') }]);
    const words = /has a layer that differs from its configuration/;
    for (const _ of [1, 2]) await givenUp('x', words);
  });

  test('cannot send a layer that the engine unpacks uncounted, or that cannot be unpacked', async () => {
    const tries: [Buffer, RegExp][] = [
      [Buffer.concat([Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), randomBytes(1000)]), /neither gzip nor zstd/],
      [Buffer.concat([Buffer.from('BZh9'), randomBytes(1000)]), /neither gzip nor zstd/],
      [Buffer.concat([Buffer.from([0x50, 0x2a, 0x4d, 0x18]), randomBytes(1000)]), /cannot be unpacked/],
      [Buffer.concat([Buffer.from([0x1f, 0x8b, 8]), randomBytes(1000)]), /cannot be unpacked/],
    ];
    for (const [bytes, words] of tries) {
      const layer = blobOf(bytes);
      publish('x', [layer]);
      await givenUp('x', words);
    }
  });

  test('that cuts its connection gets a request for the rest', async () => {
    const layer = blobOf(gzipSync(randomBytes(1_000_000)));
    publish('x', [layer]);
    const ranges: (string | undefined)[] = [];
    routes.set(`/v2/x/blobs/${layer.digest}`, (request, response) => {
      const { range } = request.headers;
      ranges.push(range);
      const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
      response.writeHead(range ? 206 : 200, { 'content-length': layer.bytes.length - from });
      const piece = layer.bytes.subarray(from, from + 400_000);
      response.write(piece, () =>
        from + piece.length < layer.bytes.length ? setTimeout(() => response.destroy(), 20) : response.end(),
      );
    });
    const { came, fault } = await pull(`${evil}/x:1`);
    assert.equal(fault, undefined);
    assert.deepEqual(came, [layer.bytes.length]);
    assert.equal(ranges.length, 3);
  });

  test('whose token has expired in the middle of a pull gets a request for another one', async () => {
    const layers = [blobOf(randomBytes(1000)), blobOf(randomBytes(1001))];
    publish('x', layers);
    let tokens = 0;
    routes.set('/token', (_, response) => void response.end(JSON.stringify({ token: `token-${++tokens}` })));
    for (const [path, route] of [...routes].filter(([path]) => path.startsWith('/v2/x/'))) {
      // Each layer is shown for a token that is newer than the last one.
      const layer = layers.findIndex(({ digest }) => path.endsWith(digest));
      const wanted = `Bearer token-${layer + 2}`;
      routes.set(path, (request, response) => {
        if (request.headers.authorization === wanted) return void route(request, response);
        response.writeHead(401, { 'www-authenticate': `Bearer realm="https://${evil}/token",service="x"` }).end();
      });
    }
    const { came, fault } = await pull(`${evil}/x:1`);
    assert.equal(fault, undefined);
    assert.deepEqual([came, tokens], [layers.map(({ bytes }) => bytes.length), 3]);
  });
});
