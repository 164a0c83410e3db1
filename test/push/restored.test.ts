/** A restored database may name blobs that are missing in the folder next to it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestOf } from '../../src/lib/digest.ts';
import { imageManifest, ociImage, openImageRegistry } from '../support/image-registry.ts';

test('what the folder has no more is missing for clients too, which push it again', async (t) => {
  const registry = await openImageRegistry();
  t.after(() => registry.close());
  const { token, namespace } = await registry.pusher();
  const at = (path: string) => `/v2/${namespace}/api/${path}`;
  const [config, layer] = [Buffer.from('{}'), Buffer.from('a layer')];
  const manifest = imageManifest(config, [layer]);
  const push = async () => {
    for (const body of [config, layer]) {
      const path = at(`blobs/uploads/?digest=${digestOf(body)}`);
      assert.equal((await registry.ask('POST', path, { token, body })).status, 201);
    }
    const headers = { 'content-type': ociImage };
    assert.equal((await registry.ask('PUT', at('manifests/1'), { token, headers, body: manifest })).status, 201);
  };
  const requested = [`blobs/${digestOf(layer)}`, 'manifests/1', `manifests/${digestOf(manifest)}`];
  const reported = () =>
    Promise.all(requested.map(async (path) => (await registry.ask('HEAD', at(path), { token })).status));

  await push();
  assert.deepEqual(await reported(), [200, 200, 200]);
  for (const bytes of [layer, manifest]) await registry.folder.remove(digestOf(bytes));
  assert.deepEqual(await reported(), [404, 404, 404]);
  await push();
  assert.deepEqual(await reported(), [200, 200, 200]);
  assert.deepEqual((await registry.ask('GET', at(requested[0]!), { token })).content, layer);
});
