import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResolvedUpstream } from '../resolve/resolve.ts';
import { openGate } from './gate.ts';

const digestOf = (letter: string) => `sha256:${letter.repeat(64)}`;

const image: ResolvedUpstream = {
  repository: 'a/b',
  digest: digestOf('0'),
  manifest: {
    digest: digestOf('1'),
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    bytes: Buffer.from('{}'),
  },
  config: {
    descriptor: { mediaType: 'x', digest: digestOf('2'), sizeBytes: 4 },
    bytes: Buffer.from('null'),
  },
  layers: [],
  client: {
    ask: () => {
      throw new Error('nothing is asked of a registry');
    },
  },
  asked: { image: 'r.example:5000/a/b:1', registry: 'r.example:5000', hasLogin: false },
};

test('only who has the secret of the gate is answered, and only about what is being pulled', async () => {
  await using gate = await openGate({ host: '127.0.0.1', limits: { compressedBytes: 1, unpackedBytes: 1 } });
  const offer = gate.offer(image, { failed: () => {} });
  const [, host, name] = /^([^/]+)\/(.+)@/.exec(offer.reference)!;
  assert.equal(offer.reference, `${host}/r.example__5000/a/b@${digestOf('1')}`);
  assert.match(host!, /^127\.0\.0\.1:/);
  const ask = async (path: string, password = offer.auth.password, method = 'GET') => {
    const authorization = `Basic ${Buffer.from(`${offer.auth.username}:${password}`).toString('base64')}`;
    const answer = await fetch(`http://${host}${path}`, { method, headers: { authorization } });
    return [answer.status, method === 'GET' ? (await answer.text()).slice(0, 4) : undefined];
  };
  const manifest = `/v2/${name}/manifests/${digestOf('1')}`;
  assert.deepEqual(await ask('/v2/'), [200, '{}']);
  assert.deepEqual(await ask(manifest), [200, '{}']);
  assert.deepEqual(await ask(manifest, undefined, 'HEAD'), [200, undefined]);
  assert.deepEqual(await ask(`/v2/${name}/blobs/${digestOf('2')}`), [200, 'null']);

  for (const path of ['/v2/', manifest]) assert.equal((await ask(path, 'guess'))[0], 401);
  assert.equal((await fetch(`http://${host}${manifest}`)).status, 401);
  assert.equal((await ask(manifest, undefined, 'DELETE'))[0], 405);
  for (const path of [
    `/v2/${name}/blobs/${digestOf('3')}`,
    `/v2/other/manifests/${digestOf('1')}`,
    '/v2/_catalog',
    '/',
  ])
    assert.equal((await ask(path))[0], 404, path);
  offer[Symbol.dispose]();
  assert.equal((await ask(manifest))[0], 404);
});
