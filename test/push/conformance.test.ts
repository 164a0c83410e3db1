/**
 * The cases of the distribution specification's conformance suite 1.0, in its order and by its titles.
 * `conformance-suite.test.ts` has its set-up and tear-down ("Setup", "Teardown") and the additions of 1.1.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { digestOf } from '../../src/lib/digest.ts';
import { type ImageRegistry, imageManifest, ociImage, openImageRegistry } from '../support/image-registry.ts';

let registry: ImageRegistry;
let token: string;
let namespace: string;
before(async () => {
  registry = await openImageRegistry();
  ({ token, namespace } = await registry.pusher());
});
after(() => registry.close());

const config = Buffer.from(JSON.stringify({ architecture: 'amd64', os: 'linux', rootfs: { type: 'layers' } }));
const layer = Buffer.from('a layer, opaque to the registry');
const manifest = imageManifest(config, [layer]);
const unknown = digestOf('never pushed');

const at = (path: string, name = 'conformance') => `/v2/${namespace}/${name}/${path}`;
const ask = (method: string, path: string, requested: Parameters<ImageRegistry['ask']>[2] = {}) =>
  registry.ask(method, path, { token, ...requested });
const locationOf = ({ headers }: { headers: Headers }) => {
  const location = headers.get('location') ?? '';
  assert.match(location, /^\/v2\//, 'relative');
  return location;
};

async function putBlob(blob: Uint8Array, name?: string) {
  const begun = await ask('POST', at('blobs/uploads/', name));
  assert.equal(begun.status, 202);
  return await ask('PUT', `${locationOf(begun)}?digest=${digestOf(blob)}`, { body: blob });
}

const putManifest = (reference: string, content: Uint8Array = manifest, name?: string) =>
  ask('PUT', at(`manifests/${reference}`, name), { body: content, headers: { 'content-type': ociImage } });

describe('pull', () => {
  before(async () => {
    for (const blob of [config, layer]) assert.equal((await putBlob(blob)).status, 201);
    assert.equal((await putManifest('pulled')).status, 201);
  });

  test('GET nonexistent blob should result in 404 response', async () => {
    const { status, error } = await ask('GET', at(`blobs/${unknown}`));
    assert.deepEqual([status, error?.code], [404, 'BLOB_UNKNOWN']);
  });

  test('HEAD request to nonexistent blob should result in 404 response', async () => {
    const { status, content } = await ask('HEAD', at(`blobs/${unknown}`));
    assert.deepEqual([status, content.length], [404, 0]);
  });

  test('HEAD request to existing blob should yield 200', async () => {
    const { status, headers } = await ask('HEAD', at(`blobs/${digestOf(layer)}`));
    assert.equal(status, 200);
    assert.equal(headers.get('docker-content-digest'), digestOf(layer));
    assert.equal(headers.get('content-length'), String(layer.length));
  });

  test('GET request to existing blob URL should yield 200', async () => {
    const { status, content, headers } = await ask('GET', at(`blobs/${digestOf(config)}`));
    assert.equal(status, 200);
    assert.deepEqual(content, config);
    assert.equal(headers.get('docker-content-digest'), digestOf(config));
  });

  test('GET of a part of a blob yields 206, and 416 beyond its end', async () => {
    const part = await ask('GET', at(`blobs/${digestOf(layer)}`), { headers: { range: 'bytes=2-6' } });
    assert.deepEqual([part.status, part.content.toString()], [206, 'layer']);
    assert.equal(part.headers.get('content-range'), `bytes 2-6/${layer.length}`);
    const beyond = await ask('GET', at(`blobs/${digestOf(layer)}`), { headers: { range: 'bytes=1000-' } });
    assert.equal(beyond.status, 416);
  });

  for (const method of ['HEAD', 'GET'] as const) {
    test(`${method} nonexistent manifest should return 404`, async () => {
      for (const reference of ['.INVALID_MANIFEST_NAME', 'nothing', unknown])
        assert.equal((await ask(method, at(`manifests/${reference}`))).status, reference.startsWith('.') ? 400 : 404);
    });

    for (const by of ['digest', 'tag'] as const)
      test(`${method} request to manifest path (${by}) should yield 200 response`, async () => {
        const reference = by === 'tag' ? 'pulled' : digestOf(manifest);
        const { status, headers, content } = await ask(method, at(`manifests/${reference}`));
        assert.equal(status, 200);
        assert.equal(headers.get('content-type'), ociImage);
        assert.equal(headers.get('docker-content-digest'), digestOf(manifest));
        assert.equal(headers.get('content-length'), String(manifest.length));
        if (method === 'GET') assert.deepEqual(content, manifest);
      });
  }

  test('400 response body should contain OCI-conforming JSON message', async () => {
    const { status, error } = await putManifest('sha256:totallywrong', Buffer.from('blablabla'));
    assert.equal(status, 400);
    assert.equal(error?.code, 'MANIFEST_INVALID');
    assert.ok(error.message);
  });
});

describe('push', () => {
  test('PATCH request with blob in body should yield 202 response, PUT request to session URL with digest 201', async () => {
    const blob = Buffer.from('streamed, of unknown length');
    const begun = await ask('POST', at('blobs/uploads/'));
    const patched = await ask('PATCH', locationOf(begun), {
      body: new Blob([blob]).stream(),
      headers: { 'content-type': 'application/octet-stream' },
    });
    assert.equal(patched.status, 202);
    assert.equal(patched.headers.get('range'), `0-${blob.length - 1}`);
    const put = await ask('PUT', `${locationOf(patched)}?digest=${digestOf(blob)}`);
    assert.equal(put.status, 201);
    assert.equal(put.headers.get('docker-content-digest'), digestOf(blob));
    assert.deepEqual((await ask('GET', locationOf(put))).content, blob);
  });

  test('POST request with digest and blob should yield a 201', async () => {
    const blob = Buffer.from('in a single request');
    const posted = await ask('POST', at(`blobs/uploads/?digest=${digestOf(blob)}`), { body: blob });
    assert.equal(posted.status, 201);
    assert.deepEqual((await ask('GET', locationOf(posted))).content, blob);
  });

  test('PUT upload of a blob should yield a 201 response, GET request to it 200', async () => {
    const blob = Buffer.from('the whole blob in the PUT');
    const put = await putBlob(blob);
    assert.equal(put.status, 201);
    assert.deepEqual((await ask('GET', locationOf(put))).content, blob);
  });

  test('PUT of content with another digest should yield a 400 response, and the upload is over', async () => {
    const begun = await ask('POST', at('blobs/uploads/'));
    const put = await ask('PUT', `${locationOf(begun)}?digest=${unknown}`, { body: 'something else' });
    assert.deepEqual([put.status, put.error?.code], [400, 'DIGEST_INVALID']);
    assert.equal((await ask('GET', locationOf(begun))).status, 404);
  });

  test('out-of-order blob upload should return 416', async () => {
    const begun = await ask('POST', at('blobs/uploads/'));
    const late = await ask('PATCH', locationOf(begun), { body: 'xyz', headers: { 'content-range': '3-5' } });
    assert.equal(late.status, 416);
  });

  describe('an upload in chunks', () => {
    let location: string;
    const piece = (method: string, body: string, range: string, query = '') =>
      ask(method, `${location}${query}`, { body, headers: { 'content-range': range } });

    test('POST request should yield a session ID', async () => {
      const begun = await ask('POST', at('blobs/uploads/'), { headers: { 'content-length': '0' } });
      assert.equal(begun.status, 202);
      location = locationOf(begun);
    });

    test('PATCH request with first chunk should return 202', async () => {
      const first = await piece('PATCH', 'abc', '0-2');
      assert.deepEqual([first.status, first.headers.get('range'), locationOf(first)], [202, '0-2', location]);
    });

    test('retry of the previous chunk should return 416', async () => {
      assert.equal((await piece('PATCH', 'abc', '0-2')).status, 416);
    });

    test('GET on a stale upload should return 204 with a range and a location', async () => {
      const reported = await ask('GET', location);
      assert.deepEqual([reported.status, reported.headers.get('range'), locationOf(reported)], [204, '0-2', location]);
    });

    test('PATCH request with second chunk should return 202', async () => {
      assert.equal((await piece('PATCH', 'def', '3-5')).status, 202);
    });

    test('PUT request with final chunk should return 201, GET request to the blob 200', async () => {
      const put = await piece('PUT', 'ghi', '6-8', `?digest=${digestOf('abcdefghi')}`);
      assert.equal(put.status, 201);
      assert.equal((await ask('GET', locationOf(put))).content.toString(), 'abcdefghi');
    });

    test('PUT request without a body should return 201 as well', async () => {
      const begun = await ask('POST', at('blobs/uploads/'));
      location = locationOf(begun);
      assert.equal((await piece('PATCH', 'whole', '0-4')).status, 202);
      assert.equal((await ask('PUT', `${location}?digest=${digestOf('whole')}`)).status, 201);
    });
  });

  test('DELETE of an upload should yield 204, and 404 from then on', async () => {
    const begun = await ask('POST', at('blobs/uploads/'));
    assert.equal((await ask('DELETE', locationOf(begun))).status, 204);
    assert.equal((await ask('PATCH', locationOf(begun), { body: 'x' })).status, 404);
  });

  test('cross-mounting of a blob without the from argument should yield session id or 201', async () => {
    const { status, headers } = await ask('POST', at(`blobs/uploads/?mount=${unknown}`, 'elsewhere'));
    assert.equal(status, 202);
    assert.ok(headers.get('docker-upload-uuid'));
  });

  test("POST request to mount another repository's blob should return 201, GET of it 200", async () => {
    const blob = Buffer.from('to be mounted');
    await putBlob(blob);
    const from = encodeURIComponent(`${namespace}/conformance`);
    const mounted = await ask('POST', at(`blobs/uploads/?mount=${digestOf(blob)}&from=${from}`, 'elsewhere'));
    assert.equal(mounted.status, 201);
    assert.equal(mounted.headers.get('docker-content-digest'), digestOf(blob));
    assert.deepEqual((await ask('GET', locationOf(mounted))).content, blob);
  });

  test('cross-mounting of nonexistent blob should yield session id', async () => {
    const from = encodeURIComponent(`${namespace}/conformance`);
    const { status, headers } = await ask('POST', at(`blobs/uploads/?mount=${unknown}&from=${from}`, 'elsewhere'));
    assert.equal(status, 202);
    assert.ok(headers.get('location'));
  });

  test('PUT should accept a manifest upload, under several tags, GET of it yields 200', async () => {
    for (const blob of [config, layer]) await putBlob(blob);
    for (const tag of ['one', 'two']) {
      const put = await putManifest(tag);
      assert.equal(put.status, 201);
      assert.equal(put.headers.get('docker-content-digest'), digestOf(manifest));
      assert.deepEqual((await ask('GET', locationOf(put))).content, manifest);
    }
  });

  test('registry should accept a manifest upload with no layers', async () => {
    await putBlob(config);
    assert.equal((await putManifest('empty', imageManifest(config, []))).status, 201);
  });

  test('a manifest whose blobs were not pushed is refused', async () => {
    const { status, error } = await putManifest('missing', imageManifest(config, [Buffer.from('never pushed')]));
    assert.deepEqual([status, error?.code], [404, 'MANIFEST_BLOB_UNKNOWN']);
  });

  test('a tag moves to what is pushed under it', async () => {
    await putBlob(config);
    const next = imageManifest(config, []);
    await putManifest('moving');
    await putManifest('moving', next);
    assert.deepEqual((await ask('GET', at('manifests/moving'))).content, next);
    assert.equal(
      (await ask('GET', at(`manifests/${digestOf(manifest)}`))).status,
      200,
      'the earlier one by its digest',
    );
  });
});

describe('content discovery and management', () => {
  const tags = ['test0', 'test1', 'test2', 'test3'];
  before(async () => {
    for (const blob of [config, layer]) await putBlob(blob, 'listed');
    for (const tag of tags) await putManifest(tag, manifest, 'listed');
  });
  const list = async (query: string) => {
    const { status, content, headers } = await ask('GET', at(`tags/list${query}`, 'listed'));
    assert.equal(status, 200);
    return { tags: JSON.parse(content.toString()).tags, link: headers.get('link') };
  };

  test('GET request to list tags should yield 200 response, in the order of the alphabet', async () => {
    assert.deepEqual((await list('')).tags, tags);
  });

  test('GET number of tags should be limitable by `n` query parameter, and go on after `last`', async () => {
    const first = await list('?n=2');
    assert.deepEqual(first.tags, tags.slice(0, 2));
    assert.match(first.link ?? '', /tags\/list\?n=2&last=test1>; rel="next"/);
    assert.deepEqual((await list('?n=2&last=test1')).tags, tags.slice(2));
    assert.deepEqual((await list('?n=0')).tags, []);
  });

  test('DELETE of a tag takes the tag alone, DELETE of a manifest all of its tags', async () => {
    assert.equal((await ask('DELETE', at('manifests/test0', 'listed'))).status, 202);
    assert.deepEqual((await list('')).tags, tags.slice(1));
    assert.equal((await ask('DELETE', at(`manifests/${digestOf(manifest)}`, 'listed'))).status, 202);
    assert.equal((await ask('GET', at('manifests/test1', 'listed'))).status, 404);
    assert.equal((await ask('GET', at('tags/list', 'listed'))).status, 404);
  });

  test('DELETE request to blob URL should yield 202 response, GET request to deleted blob URL 404', async () => {
    const blob = Buffer.from('to be removed');
    await putBlob(blob);
    const path = at(`blobs/${digestOf(blob)}`);
    assert.equal((await ask('DELETE', path)).status, 202);
    assert.equal((await ask('GET', path)).status, 404);
    const again = await ask('DELETE', path);
    assert.deepEqual([again.status, again.error?.code], [404, 'BLOB_UNKNOWN']);
    await putBlob(blob);
    assert.equal((await ask('GET', path)).status, 200, 'it can be pushed again');
  });

  test('a blob of which an image consists is removed after the image', async () => {
    const [own, ofOthers] = [Buffer.from('{"own":1}'), Buffer.from('another one')];
    for (const blob of [own, ofOthers]) await putBlob(blob);
    const consists = imageManifest(own, []);
    await putManifest('consists', consists);
    const path = at(`blobs/${digestOf(own)}`);
    const refused = await ask('DELETE', path);
    assert.deepEqual([refused.status, refused.error?.code], [403, 'DENIED']);
    assert.equal((await ask('GET', path)).status, 200);
    assert.equal((await ask('DELETE', at(`manifests/${digestOf(consists)}`))).status, 202);
    assert.equal((await ask('DELETE', path)).status, 202);
    assert.equal((await ask('GET', at(`blobs/${digestOf(ofOthers)}`))).status, 200, 'others stay');
  });

  test('what is optional and not offered, sha512 and referrers, is refused with the codes of the specification', async () => {
    const sha512 = `sha512:${'a'.repeat(128)}`;
    for (const [method, path] of [
      ['GET', `blobs/${sha512}`],
      ['DELETE', `blobs/${sha512}`],
      ['POST', `blobs/uploads/?digest=${sha512}`],
    ] as const)
      assert.equal((await ask(method, at(path))).error?.code, 'DIGEST_INVALID', `${method} ${path}`);
    // Clients go on with tags where the answer is 404.
    assert.equal((await ask('GET', at(`referrers/${digestOf(config)}`))).status, 404);
  });

  test('what is not offered is refused as the specification has it', async () => {
    for (const [method, path] of [
      ['PUT', `blobs/${digestOf(config)}`],
      ['POST', 'manifests/x'],
    ] as const)
      assert.equal((await ask(method, at(path))).error?.code, 'UNSUPPORTED', `${method} ${path}`);
    assert.equal((await ask('GET', '/v2/_catalog')).error?.code, 'NOT_FOUND');
  });
});
