import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { digestOfLetter, image, imageOf, pull } from '../../../test/support/pulled-image.ts';
import { digestOf } from '../../lib/digest.ts';
import { narrowLimits } from '../resolve/image-limits.ts';
import { isGateName } from './distribution.ts';
import { openGate } from './gate.ts';
import { unpackedImage } from './unpacked-image.ts';

test('only who has the secret of the gate is answered, and only about what is being pulled', async () => {
  await using gate = await openGate({ host: '127.0.0.1' });
  const offer = gate.offer(image, { failed: () => {} });
  const [, host, name] = /^([^/]+)\/(.+)@/.exec(offer.reference)!;
  assert.equal(
    offer.reference,
    `${host}/berth.gate/r.example__5000/a/b@${digestOf(unpackedImage(image).manifest.bytes)}`,
  );
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
  assert.deepEqual(await ask(manifest), [200, '{"sc']);
  assert.deepEqual(await ask(manifest, undefined, 'HEAD'), [200, undefined]);
  assert.deepEqual(await ask(`/v2/${name}/blobs/${digestOfLetter('2')}`), [200, 'null']);

  for (const path of ['/v2/', manifest]) assert.equal((await ask(path, 'guess'))[0], 401);
  assert.equal((await fetch(`http://${host}${manifest}`)).status, 401);
  assert.equal((await ask(manifest, undefined, 'DELETE'))[0], 405);
  for (const path of [
    `/v2/${name}/blobs/${digestOfLetter('3')}`,
    `/v2/${name}/manifests/${digestOfLetter('1')}`,
    `/v2/other/manifests/${digestOfLetter('1')}`,
    '/v2/_catalog',
    '/',
  ])
    assert.equal((await ask(path))[0], 404, path);
  offer[Symbol.dispose]();
  assert.equal((await ask(manifest))[0], 404);
});

test('nothing reaches the engine beyond what an image may unpack to, or the disk has room for', async () => {
  // Three megabytes that unpack to three.
  const content = randomBytes(3_000_000);
  const layer = gzipSync(content);
  const through = async (roomBytes: number, unpackedBytes: number) => {
    await using gate = await openGate({ host: '127.0.0.1' });
    const limits = narrowLimits({ compressedBytes: 2 ** 40, unpackedBytes });
    const limited = imageOf(layer, () => layer, { limits, diffIds: [digestOf(content)] });
    return [await pull(gate, limited, { roomBytes }), await pull(gate, limited, { roomBytes })];
  };
  for (const { came, faults } of await through(2 ** 40, 2_000_000)) {
    assert.equal(came, undefined);
    assert.match(faults[0]!, /unpacks to more than 1\.9 MiB/);
  }
  for (const { came, faults } of await through(2_500_000, 2 ** 30)) {
    assert.equal(came, undefined);
    assert.match(faults[0]!, /no space left/);
  }
  for (const { came, faults } of await through(2 ** 40, 2 ** 30)) {
    assert.ok(came?.equals(content));
    assert.deepEqual(faults, []);
  }
});

test('what unpacks to far more than comes is counted before the engine has it, and passes when it asks again', async () => {
  const content = Buffer.alloc(90_000_000);
  const layer = gzipSync(content);
  await using gate = await openGate({ host: '127.0.0.1' });
  const zeros = imageOf(layer, () => layer, { diffIds: [digestOf(content)] });
  assert.deepEqual(await pull(gate, zeros), { came: undefined, faults: [] });
  const again = await pull(gate, zeros);
  assert.deepEqual([again.came?.length, again.faults], [content.length, []]);
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
      for (const asks of [true, false]) {
        const { came, faults } = await pull(gate, nested, { asks });
        assert.equal(came, undefined);
        assert.match(faults[0]!, /has a layer that is packed twice/);
      }
    }
  }
});

test('a layer counts as often as the image has it: the engine keeps it once for each place', async () => {
  const content = randomBytes(1_000_000);
  const layer = gzipSync(content);
  const limits = narrowLimits({ compressedBytes: 2 ** 40, unpackedBytes: 2_500_000 });
  const repeated = (times: number) => {
    const one = imageOf(layer, () => layer, { limits });
    const layers = Array.from({ length: times }, () => one.layers[0]!);
    return { ...one, layers, diffIds: layers.map(() => digestOf(content)) };
  };
  for (const asks of [true, false]) {
    await using gate = await openGate({ host: '127.0.0.1' });
    assert.deepEqual((await pull(gate, repeated(2), { asks })).faults, []);
    const { came, faults } = await pull(gate, repeated(3), { asks });
    assert.equal(came, undefined);
    assert.match(faults[0]!, /unpacks to more than 2\.4 MiB/);
  }
});

test('an engine that keeps images in containerd gets the image as its registry has it, counted all the same', async () => {
  const content = randomBytes(1_000_000);
  const layer = gzipSync(content);
  await using gate = await openGate({ host: '127.0.0.1' });
  const faults: string[] = [];
  const packed = imageOf(layer, () => layer, { diffIds: [digestOf(content)] });
  using offer = gate.offer(packed, { isPacked: true, failed: ({ message }) => faults.push(message) });
  const [, host, name, digest] = /^([^/]+)\/(.+)@(.+)$/.exec(offer.reference)!;
  const authorization = `Basic ${Buffer.from(`engine:${offer.auth.password}`).toString('base64')}`;
  assert.equal(digest, packed.manifest.digest);
  const answer = await fetch(`http://${host}/v2/${name}/blobs/${digestOf(layer)}`, { headers: { authorization } });
  assert.equal(answer.headers.get('content-length'), `${layer.length}`);
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(layer));
  await offer.confirm();
  assert.deepEqual(faults, []);
});

test('whoever says of his layer that it unpacks to what the engine has from elsewhere gets nothing of that', async () => {
  const secret = Buffer.from('of somebody else');
  const layer = gzipSync('of the attacker');
  await using gate = await openGate({ host: '127.0.0.1' });
  const liar = imageOf(layer, () => layer, { diffIds: [digestOf(secret)] });
  const refusal = ['Image r.example:5000/a/b:1 has a layer that is not what its configuration says.'];
  // The engine has it and asks for nothing; and again, when what the layer unpacks to is known.
  for (const _ of [1, 2]) assert.deepEqual((await pull(gate, liar, { asks: false })).faults, refusal);
  const asked = await pull(gate, liar);
  assert.equal(asked.came, undefined);
  assert.deepEqual(new Set(asked.faults), new Set(refusal));
});

test('a layer that cannot be unpacked, or by nobody here, is refused in words', async () => {
  await using gate = await openGate({ host: '127.0.0.1' });
  for (const [layer, words] of [
    [gzipSync(randomBytes(100_000)).subarray(0, 50_000), /cannot be unpacked/],
    [Buffer.from('BZh91AY&SY and more'), /packed with neither gzip nor zstd/],
    [Buffer.concat([gzipSync('x').subarray(0, 10), randomBytes(900_000)]), /cannot be unpacked/],
  ] as const) {
    const { came, faults } = await pull(
      gate,
      imageOf(Buffer.from(layer), () => Buffer.from(layer), { diffIds: [digestOfLetter('4')] }),
    );
    assert.equal(came, undefined);
    assert.match(faults[0]!, words);
  }
});

test('layers that follow one another unpack at the same time, each to what it is', async () => {
  const contents = Array.from({ length: 6 }, (_, at) => Buffer.alloc(5_000_000, `${at} `));
  const layers = contents.map((content) => gzipSync(content));
  await using gate = await openGate({ host: '127.0.0.1' });
  const pulls = layers.map((layer, at) =>
    pull(
      gate,
      imageOf(layer, () => layer, { diffIds: [digestOf(contents[at]!)] }),
    ),
  );
  for (const [at, { came, faults }] of (await Promise.all(pulls)).entries()) {
    assert.deepEqual(faults, []);
    assert.ok(came?.equals(contents[at]!));
  }
});
