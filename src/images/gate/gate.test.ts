import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import {
  askGate,
  digestOfLetter,
  image,
  imageOf,
  pull,
  send,
  servedLayers,
} from '../../../test/support/pulled-image.ts';
import { digestOf } from '../../lib/digest.ts';
import { narrowLimits } from '../resolve/image-limits.ts';
import type { ResolvedUpstream } from '../resolve/resolve.ts';
import { isGateName } from './distribution.ts';
import { openGate } from './gate.ts';

const { signal } = new AbortController();

test('only a client with the secret of the gate is answered, and only about what is being pulled', async () => {
  await using gate = await openGate({ host: '127.0.0.1' });
  const offer = await gate.offer(image, { signal });
  const [, host, name] = /^([^/]+)\/(.+)@/.exec(offer.reference)!;
  assert.equal(offer.reference, `${host}/berth.gate/r.example__5000/a/b@${image.manifest.digest}`);
  assert.ok(isGateName(offer.reference));
  assert.ok(!isGateName('127.0.0.1:5000/a/berth.gate/b:1'));
  assert.match(host!, /^127\.0\.0\.1:/);
  const ask = async (path: string, password = offer.auth.password, method = 'GET') => {
    const authorization = `Basic ${Buffer.from(`${offer.auth.username}:${password}`).toString('base64')}`;
    const answer = await fetch(`http://${host}${path}`, { method, headers: { authorization } });
    return [answer.status, method === 'GET' ? (await answer.text()).slice(0, 4) : undefined];
  };
  const manifest = `/v2/${name}/manifests/${offer.reference.split('@')[1]}`;
  assert.deepEqual(await ask('/v2/'), [200, '{}']);
  assert.deepEqual(await ask(manifest), [200, '{}']);
  assert.deepEqual(await ask(manifest, undefined, 'HEAD'), [200, undefined]);
  assert.deepEqual(await ask(`/v2/${name}/blobs/${digestOfLetter('2')}`), [200, 'null']);

  for (const path of ['/v2/', manifest]) assert.equal((await ask(path, 'guess'))[0], 401);
  assert.equal((await fetch(`http://${host}${manifest}`)).status, 401);
  assert.equal((await ask(manifest, undefined, 'DELETE'))[0], 405);
  for (const path of [
    `/v2/${name}/blobs/${digestOfLetter('3')}`,
    `/v2/${name}/manifests/${digestOfLetter('3')}`,
    `/v2/other/manifests/${digestOfLetter('1')}`,
    '/v2/_catalog',
    '/',
  ])
    assert.equal((await ask(path))[0], 404, path);
  await offer[Symbol.asyncDispose]();
  assert.equal((await ask(manifest))[0], 404);
});

test('an image that unpacks to more than it may, or than the disk has room for, is never offered', async () => {
  const content = randomBytes(3_000_000);
  const layer = gzipSync(content);
  const through = async (roomBytes: number, unpackedBytes: number) => {
    await using gate = await openGate({ host: '127.0.0.1' });
    const limits = narrowLimits({ compressedBytes: 2 ** 40, unpackedBytes });
    const limited = imageOf(layer, () => layer, { limits, diffIds: [digestOf(content)] });
    return [await pull(gate, limited, { roomBytes }), await pull(gate, limited, { roomBytes })];
  };
  for (const { fault } of await through(2 ** 40, 2_000_000)) assert.match(fault!, /unpacks to more than 1\.9 MiB/);
  for (const { fault } of await through(2_500_000, 2 ** 30)) assert.match(fault!, /no space left/);
  for (const { came, fault } of await through(2 ** 40, 2 ** 30)) {
    assert.ok(came?.equals(layer));
    assert.equal(fault, undefined);
  }
});

test('a layer that was refused is refused again without a download, unless the limit is higher then', async () => {
  const zeros = gzipSync(Buffer.alloc(5_000_000));
  const sent: Buffer[] = [];
  await using gate = await openGate({ host: '127.0.0.1' });
  const within = (unpackedBytes: number) =>
    pull(
      gate,
      imageOf(zeros, () => send(sent, zeros), {
        limits: narrowLimits({ compressedBytes: 2 ** 40, unpackedBytes }),
        diffIds: [digestOf(Buffer.alloc(5_000_000))],
      }),
    );
  for (const _ of [1, 2]) assert.match((await within(2_000_000)).fault!, /unpacks to more than/);
  assert.match((await within(1_000_000)).fault!, /unpacks to more than/);
  assert.equal(sent.length, 1);
  assert.match((await within(4_000_000)).fault!, /unpacks to more than/);
  assert.equal((await within(6_000_000)).fault, undefined);
  assert.equal(sent.length, 3);
});

test('what a registry sends under a foreign digest says nothing about the layer of that digest', async () => {
  const content = randomBytes(100_000);
  const layer = gzipSync(content);
  const lie = Buffer.alloc(layer.length);
  await using gate = await openGate({ host: '127.0.0.1' });
  const said = { diffIds: [digestOf(content)] };
  const lying = imageOf(layer, () => lie, { ...said, repository: 'evil/x' });
  assert.match((await pull(gate, lying)).fault!, /does not match its digest/);
  assert.ok(
    (
      await pull(
        gate,
        imageOf(layer, () => layer, said),
      )
    ).came?.equals(layer),
  );
});

test('a registry that stalls with a digest of another image delays only its own image, and an offer that ends ends no other', async () => {
  const content = randomBytes(100_000);
  const layer = gzipSync(content);
  await using gate = await openGate({ host: '127.0.0.1' });
  const said = { diffIds: [digestOf(content)] };
  const honest = imageOf(layer, () => layer, said);
  const begun = Promise.withResolvers<void>();
  const client: ResolvedUpstream['client'] = {
    async request(_method, _path, { signal }) {
      const sent = new Readable({ read: () => begun.resolve() });
      sent.push(layer.subarray(0, 10));
      signal.addEventListener('abort', () => sent.destroy(signal.reason));
      return { status: 200, headers: {}, url: new URL('https://r/'), body: sent };
    },
  };
  const ending = new AbortController();
  const stalled = gate.offer({ ...honest, repository: 'evil/x', client }, { signal: ending.signal });
  await begun.promise;
  await using offer = await gate.offer(honest, { signal });
  ending.abort();
  await assert.rejects(stalled);
  assert.equal((await askGate(offer, `blobs/${digestOf(layer)}`)).status, 200);
});

test('a layer is served by any offer that has it, since an engine downloads a digest once for all images', async () => {
  const content = randomBytes(100_000);
  const layer = gzipSync(content);
  await using gate = await openGate({ host: '127.0.0.1' });
  const one = imageOf(layer, () => layer, { diffIds: [digestOf(content)], isForEverybody: false });
  const ended = await gate.offer(one, { signal });
  await using _other = await gate.offer({ ...one, repository: 'a/y' }, { signal });
  await ended[Symbol.asyncDispose]();
  assert.equal((await askGate(ended, `blobs/${digestOf(layer)}`)).status, 200);
});

test('a layer that unpacks to something packed is refused: the engine would unpack that too', async () => {
  const bomb = gzipSync(Buffer.alloc(1_000_000));
  for (const inner of [
    bomb,
    zstdCompressSync(Buffer.alloc(1_000_000)),
    Buffer.from('BZh91AY&SY and more'),
    bomb.subarray(0, 3),
  ]) {
    for (const layer of [gzipSync(inner), zstdCompressSync(inner)]) {
      await using gate = await openGate({ host: '127.0.0.1' });
      const nested = imageOf(layer, () => layer, { diffIds: [digestOf(inner)] });
      assert.match((await pull(gate, nested)).fault!, /has a layer that is packed twice/);
    }
  }
});

test('a layer counts as often as the image has it: the engine keeps it once for each place', async () => {
  const content = randomBytes(1_000_000);
  const layer = gzipSync(content);
  const limits = narrowLimits({ compressedBytes: 2 ** 40, unpackedBytes: 2_500_000 });
  const repeated = (times: number) =>
    imageOf(layer, () => layer, { limits, diffIds: Array.from({ length: times }, () => digestOf(content)) });
  await using gate = await openGate({ host: '127.0.0.1' });
  for (const _ of [1, 2]) {
    assert.equal((await pull(gate, repeated(2))).fault, undefined);
    assert.match((await pull(gate, repeated(3))).fault!, /unpacks to more than 2\.4 MiB/);
  }
});

test('an engine that cannot unpack zstd gets such a layer unpacked, under the digest of what it is', async () => {
  const content = randomBytes(1_000_000);
  const toSkip = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]);
  const halves = [content.subarray(0, 500_000), content.subarray(500_000)];
  // The output of parallel compressors: several frames, each after a skippable frame.
  const inPieces = Buffer.concat(halves.flatMap((half) => [toSkip, zstdCompressSync(half)]));
  for (const layer of [zstdCompressSync(content), inPieces]) {
    await using gate = await openGate({ host: '127.0.0.1' });
    const packed = imageOf(layer, () => layer, { diffIds: [digestOf(content)] });
    assert.ok((await pull(gate, packed)).came?.equals(layer));
    assert.ok((await pull(gate, packed, { unpacksZstd: true })).came?.equals(content));
    await using engine = await openGate({ host: '127.0.0.1' });
    await using offer = await engine.offer(packed, { unpacksZstd: true, signal });
    assert.deepEqual(await servedLayers(offer), [
      { mediaType: 'application/vnd.docker.image.rootfs.diff.tar', digest: digestOf(content), size: content.length },
    ]);
  }
});

test('an image is refused each time if a layer does not unpack to the digest in the configuration', async () => {
  const secret = Buffer.from('of another user');
  const layer = gzipSync('of the attacker');
  await using gate = await openGate({ host: '127.0.0.1' });
  const liar = imageOf(layer, () => layer, { diffIds: [digestOf(secret)] });
  for (const _ of [1, 2])
    assert.deepEqual(await pull(gate, liar), {
      came: undefined,
      fault: 'Image r.example:5000/a/b:1 has a layer that differs from its configuration.',
    });
});

test('a layer that cannot be unpacked here is refused in words', async () => {
  await using gate = await openGate({ host: '127.0.0.1' });
  for (const [layer, words] of [
    [gzipSync(randomBytes(100_000)).subarray(0, 50_000), /cannot be unpacked/],
    [zstdCompressSync(randomBytes(100_000)).subarray(0, 50_000), /cannot be unpacked/],
    [Buffer.from('BZh91AY&SY and more'), /packed with neither gzip nor zstd/],
    [Buffer.concat([gzipSync('x').subarray(0, 10), randomBytes(900_000)]), /cannot be unpacked/],
  ] as const) {
    const bytes = Buffer.from(layer);
    const { fault } = await pull(
      gate,
      imageOf(bytes, () => bytes, { diffIds: [digestOfLetter('4')] }),
    );
    assert.match(fault!, words);
  }
});

test('layers of several images are counted at the same time, each as what it is', async () => {
  const contents = Array.from({ length: 6 }, (_, at) => Buffer.alloc(5_000_000, `${at} `));
  await using gate = await openGate({ host: '127.0.0.1' });
  const pulls = contents.map((content, at) => {
    const layer = gzipSync(content);
    return pull(
      gate,
      imageOf(layer, () => layer, { diffIds: [digestOf(content)], payer: `client ${at % 3}` }),
    );
  });
  for (const { fault } of await Promise.all(pulls)) assert.equal(fault, undefined);
});

test('a client whose hourly budget is used up, also by refused layers, has no new layer downloaded or unpacked', async () => {
  await using gate = await openGate({ host: '127.0.0.1', unpackedBytesPerHour: 5_000_000 });
  const sent: Buffer[] = [];
  const pullAs = async (payer: string, layer: Buffer, content: Buffer) =>
    (
      await pull(
        gate,
        imageOf(layer, () => send(sent, layer), { diffIds: [digestOf(content)], payer }),
      )
    ).fault;
  const known = Buffer.alloc(1_000_000, 'known');
  assert.equal(await pullAs('attacker', gzipSync(known), known), undefined);
  const bomb = Buffer.alloc(6_000_000);
  assert.match((await pullAs('attacker', gzipSync(bomb).subarray(0, -8), bomb))!, /cannot be unpacked/);

  sent.length = 0;
  const fresh = Buffer.alloc(1_000_000, 'fresh');
  const fault = await pullAs('attacker', gzipSync(fresh), fresh);
  assert.match(fault!, /is not unpacked yet: in one hour, at most .* of layers are unpacked for each user/);
  assert.equal(sent.length, 0);
  assert.equal(await pullAs('attacker', gzipSync(known), known), undefined);
  assert.equal(await pullAs('another', gzipSync(fresh), fresh), undefined);
});
