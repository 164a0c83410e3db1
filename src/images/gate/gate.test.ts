import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openBlobCache } from '../blobs/blob-cache.ts';
import { type Digest, digestOf } from '../blobs/digest.ts';
import { narrowLimits } from '../resolve/image-limits.ts';
import type { ResolvedUpstream } from '../resolve/resolve.ts';
import { isGateName } from './distribution.ts';
import { openGate } from './gate.ts';

const digestOfLetter = (letter: string): Digest => `sha256:${letter.repeat(64)}`;

const image: ResolvedUpstream = {
  repository: 'a/b',
  digest: digestOfLetter('0'),
  manifest: {
    digest: digestOfLetter('1'),
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    bytes: Buffer.from('{}'),
  },
  config: {
    descriptor: { mediaType: 'x', digest: digestOfLetter('2'), sizeBytes: 4 },
    bytes: Buffer.from('null'),
  },
  layers: [],
  limits: narrowLimits({ compressedBytes: 2 ** 30, unpackedBytes: 2 ** 30 }),
  isForEverybody: true,
  client: {
    ask: () => {
      throw new Error('nothing is asked of a registry');
    },
  },
  asked: { image: 'r.example:5000/a/b:1', registry: 'r.example:5000', hasLogin: false },
};

test('only who has the secret of the gate is answered, and only about what is being pulled', async () => {
  await using gate = await openGate({ host: '127.0.0.1' });
  const offer = gate.offer(image, { failed: () => {} });
  const [, host, name] = /^([^/]+)\/(.+)@/.exec(offer.reference)!;
  assert.equal(offer.reference, `${host}/berth.gate/r.example__5000/a/b@${digestOfLetter('1')}`);
  assert.ok(isGateName(offer.reference));
  assert.ok(!isGateName('127.0.0.1:5000/a/berth.gate/b:1'));
  assert.match(host!, /^127\.0\.0\.1:/);
  const ask = async (path: string, password = offer.auth.password, method = 'GET') => {
    const authorization = `Basic ${Buffer.from(`${offer.auth.username}:${password}`).toString('base64')}`;
    const answer = await fetch(`http://${host}${path}`, { method, headers: { authorization } });
    return [answer.status, method === 'GET' ? (await answer.text()).slice(0, 4) : undefined];
  };
  const manifest = `/v2/${name}/manifests/${digestOfLetter('1')}`;
  assert.deepEqual(await ask('/v2/'), [200, '{}']);
  assert.deepEqual(await ask(manifest), [200, '{}']);
  assert.deepEqual(await ask(manifest, undefined, 'HEAD'), [200, undefined]);
  assert.deepEqual(await ask(`/v2/${name}/blobs/${digestOfLetter('2')}`), [200, 'null']);

  for (const path of ['/v2/', manifest]) assert.equal((await ask(path, 'guess'))[0], 401);
  assert.equal((await fetch(`http://${host}${manifest}`)).status, 401);
  assert.equal((await ask(manifest, undefined, 'DELETE'))[0], 405);
  for (const path of [
    `/v2/${name}/blobs/${digestOfLetter('3')}`,
    `/v2/other/manifests/${digestOfLetter('1')}`,
    '/v2/_catalog',
    '/',
  ])
    assert.equal((await ask(path))[0], 404, path);
  offer[Symbol.dispose]();
  assert.equal((await ask(manifest))[0], 404);
});

test('a layer that has passed once is not asked for again, and one that was a lie is not kept', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'berth-gate-'));
  t.after(() => rm(directory, { recursive: true }));
  const layer = gzipSync(randomBytes(300_000));
  const digest = digestOf(layer);
  let sent: Buffer[] = [];
  const ask = async () => {
    const body = sent.shift();
    assert.ok(body, 'nothing more is asked of the registry');
    const url = new URL('https://r.example/');
    return { status: 200, headers: {}, url, body: Readable.from([body.subarray(0, 1_000), body.subarray(1_000)]) };
  };
  const descriptor = { mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest, sizeBytes: layer.length };
  const ofLayer: ResolvedUpstream = { ...image, layers: [descriptor], client: { ask } };
  const pull = async () => {
    await using cache = await openBlobCache({ folder: directory, budgetBytes: 2 ** 30, now: Date.now });
    await using gate = await openGate({ host: '127.0.0.1', cache });
    using offer = gate.offer(ofLayer, { failed: () => {} });
    const [, host, name] = /^([^/]+)\/(.+)@/.exec(offer.reference)!;
    const authorization = `Basic ${Buffer.from(`engine:${offer.auth.password}`).toString('base64')}`;
    const path = `http://${host}/v2/${name}/blobs/${digest}`;
    const answer = await fetch(path, { headers: { authorization } });
    return answer.ok ? await answer.arrayBuffer().then(Buffer.from, () => undefined) : undefined;
  };
  sent = [Buffer.from(layer).fill(0, 200_000, 200_010)];
  assert.equal(await pull(), undefined);
  sent = [layer];
  assert.deepEqual(await pull(), layer);
  assert.deepEqual(await pull(), layer);
  assert.deepEqual(sent, []);
});

async function pullThrough(layer: Buffer, roomBytes: number, limit: number) {
  const digest = digestOf(layer);
  const url = new URL('https://r.example/');
  const client = { ask: async () => ({ status: 200, headers: {}, url, body: Readable.from(piecesOf(layer)) }) };
  const descriptor = { mediaType: 'x', digest, sizeBytes: layer.length };
  const limits = narrowLimits({ compressedBytes: 2 ** 40, unpackedBytes: limit });
  await using gate = await openGate({ host: '127.0.0.1' });
  const faults: string[] = [];
  const pull = async () => {
    const failed = ({ message }: Error) => faults.push(message);
    using offer = gate.offer({ ...image, limits, layers: [descriptor], client }, { failed, roomBytes });
    const [, host, name] = /^([^/]+)\/(.+)@/.exec(offer.reference)!;
    const authorization = `Basic ${Buffer.from(`engine:${offer.auth.password}`).toString('base64')}`;
    const answer = await fetch(`http://${host}/v2/${name}/blobs/${digest}`, { headers: { authorization } });
    const came = await answer.arrayBuffer().then(
      ({ byteLength }) => byteLength,
      () => 0,
    );
    await offer.confirm();
    return came;
  };
  return { faults, came: [await pull(), await pull()] };
}

function piecesOf(bytes: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, at) =>
    bytes.subarray(at * 65_536, (at + 1) * 65_536),
  );
}

test('a layer may be with the engine before it is counted only where the disk has room for all that it could be', async () => {
  // Three megabytes that unpack to three.
  const layer = gzipSync(randomBytes(3_000_000));
  const mostBytes = layer.length * 1_032;
  const roomy = await pullThrough(layer, mostBytes, 2_000_000);
  assert.equal(roomy.came[0], layer.length);
  // Counted all the same; what was refused once is asked for in vain.
  assert.match(roomy.faults[0]!, /unpacks to more than 1\.9 MiB/);
  const narrow = await pullThrough(layer, 2_500_000, 2 ** 30);
  assert.deepEqual(narrow.came, [0, 0]);
  assert.match(narrow.faults[0]!, /no space left/);
  assert.deepEqual(await pullThrough(layer, mostBytes, 2 ** 30), { faults: [], came: [layer.length, layer.length] });
});
