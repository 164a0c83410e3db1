/** Attacks by a registry that this machine requests an image from, or that never ends its answer. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { after, beforeEach, describe, test } from 'node:test';
import { blobOf, descriptorOf, type Manifest, manifestType, openRegistryStage, platform } from './registry-stage.ts';

const indexType = 'application/vnd.oci.image.index.v1+json';

const stage = await openRegistryStage();
const { evil, secret, routes, images, open, resolve, send, publish, refusedAs, givenUp } = stage;

describe('a hostile registry', () => {
  after(async () => await stage[Symbol.asyncDispose]());
  beforeEach(() => stage.clear());

  test('cannot be at an address that is not public', async () => {
    for (const host of [secret.plain, secret.tls, 'inside.example', '10.0.0.1:5000', '169.254.169.254'])
      await refusedAs(
        resolve(`${host}/x:1`),
        'bad-request',
        new RegExp(`^The registry ${host} is at an address that is not`),
      );
  });

  test('cannot have a token fetched from one', async () => {
    const forms = [
      ...[
        `http://${secret.plain}/secret?a=1`,
        `https://${secret.tls}/secret`,
        `https://inside.example:${secret.tls.split(':')[1]}/`,
      ],
      ...[`https://[::ffff:127.0.0.2]:${secret.tls.split(':')[1]}/`, 'https://[::1]/', 'https://2130706434/'],
    ];
    for (const realm of forms) {
      const shown: (string | undefined)[] = [];
      routes.set('/v2/x/manifests/1', (request, response) => {
        shown.push(request.headers.authorization);
        response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}",service="x"` }).end();
      });
      await refusedAs(resolve(`${evil}/x:1`), 'bad-request', /^The registry evil\.example:\d+ sends to /);
      assert.deepEqual(shown, [undefined], 'nothing is handed to the registry');
    }
  });

  test('cannot redirect to one, with manifests or layers', async () => {
    for (const location of [`http://${secret.plain}/`, `https://${secret.tls}/`, 'https://169.254.169.254/latest/']) {
      const redirect: RequestListener = (_, response) => void response.writeHead(307, { location }).end();
      const layer = blobOf(randomBytes(1000));
      publish('x', [layer]);
      routes.set(`/v2/x/blobs/${layer.digest}`, redirect);
      await givenUp('x', /sends to/);
      routes.set('/v2/x/manifests/1', redirect);
      await refusedAs(resolve(`${evil}/x:1`), 'bad-request', /sends to/);
    }
  });

  test('cannot state that its layers are elsewhere, or of an unknown kind', async () => {
    const layer = blobOf(randomBytes(1000));
    const withLayer = (more: object) => (manifest: Manifest) => ({
      ...manifest,
      layers: [{ ...manifest.layers[0], ...more }],
    });
    const tries: [object, RegExp][] = [
      [{ urls: [`http://${secret.plain}/layer`] }, /parts outside of its registry/],
      [{ mediaType: 'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip' }, /foreign layers/],
      [{ mediaType: 'application/vnd.oci.image.layer.nondistributable.v1.tar' }, /foreign layers/],
      [
        { mediaType: 'application/vnd.cncf.helm.chart' },
        /a layer of an unknown kind: application\/vnd\.cncf\.helm\.chart/,
      ],
      [{ digest: 'sha512:00' }, /a digest that is not sha256/],
      [{ size: -1 }, /an invalid manifest/],
    ];
    for (const [more, words] of tries) {
      publish('x', [layer], withLayer(more));
      await refusedAs(resolve(`${evil}/x:1`), 'bad-request', words);
    }
  });

  test('cannot send a manifest that is too large, or an image with too much of anything', async () => {
    routes.set('/v2/x/manifests/1', send(Buffer.alloc(5_000_000, ' '), manifestType));
    await refusedAs(resolve(`${evil}/x:1`), 'bad-request', /describes .* with a manifest that is too large/);
    const layer = blobOf(randomBytes(10));
    for (const [count, words] of [
      [10_000, /more values than an image needs/],
      [1_000, /has 1000 layers; at most 127 are allowed/],
    ] as const) {
      publish('x', Array(count).fill(layer));
      await refusedAs(resolve(`${evil}/x:1`), 'bad-request', words);
    }
    publish('x', [layer], (manifest) => ({ ...manifest, layers: [{ ...manifest.layers[0], size: 10 ** 12 }] }));
    await refusedAs(
      resolve(`${evil}/x:1`),
      'bad-request',
      /has 931\.3 GiB, more than 47\.7 MiB, the maximum for an image/,
    );
  });

  test('cannot nest indexes, or hide that it has nothing for this server', async () => {
    const inner = blobOf(JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests: [] }));
    const outer = (architecture: string) =>
      Buffer.from(
        JSON.stringify({
          schemaVersion: 2,
          mediaType: indexType,
          manifests: [{ ...descriptorOf(inner, indexType), platform: { os: 'linux', architecture } }],
        }),
      );
    routes.set(`/v2/x/manifests/${inner.digest}`, send(inner.bytes, indexType));
    routes.set('/v2/x/manifests/1', send(outer('amd64'), indexType));
    await refusedAs(resolve(`${evil}/x:1`), 'bad-request', /is an index within an index/);
    routes.set('/v2/x/manifests/1', send(outer('arm64'), indexType));
    await refusedAs(
      resolve(`${evil}/x:1`),
      'image-wrong-architecture',
      /has linux\/arm64 only; this server is linux\/amd64/,
    );
  });

  test('with a rate limit is left alone for as long as it requires, for the limited request only', async () => {
    let requested = 0;
    publish('y', [blobOf(randomBytes(10))]);
    routes.set('/v2/busy/manifests/1', (_, response) => {
      requested++;
      response.writeHead(429, { 'retry-after': '600' }).end();
    });
    for (let time = 0; time < 3; time++)
      await refusedAs(resolve(`${evil}/busy:1`), 'registry-unreachable', /\(its rate limit\) for about 10 min/);
    assert.equal(requested, 1);
    await resolve(`${evil}/y:1`);
  });

  test('cannot keep us waiting: by silence, by a drip, or by redirects without end', async () => {
    await using impatient = await open({ pace: { patienceMs: 500, minBytesPerSecond: 100_000 }, answerMs: 500 });
    const layer = blobOf(randomBytes(1_000_000));
    publish('x', [layer]);
    routes.set(`/v2/x/blobs/${layer.digest}`, (_, response) => {
      response.write(layer.bytes.subarray(0, 500_000));
      const drip = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(drip));
    });
    await givenUp('x', /stopped answering/, impatient.images);
    routes.set('/v2/x/manifests/1', () => {});
    const answered = impatient.images.resolve({ image: `${evil}/x:1` }, platform, AbortSignal.timeout(60_000));
    await refusedAs(answered, 'registry-unreachable', /stopped answering/);
    routes.set(
      '/v2/x/manifests/1',
      (_, response) => void response.writeHead(302, { location: '/v2/x/manifests/1' }).end(),
    );
    await refusedAs(resolve(`${evil}/x:1`), 'registry-unreachable', /redirects without end/);
  });

  test('learns nothing of a login that is not meant for it, and a token goes to no other host', async () => {
    const layer = blobOf(randomBytes(1000));
    publish('x', [layer]);
    const shown: Record<string, (string | undefined)[]> = { registry: [], realm: [] };
    const manifest = routes.get('/v2/x/manifests/1')!;
    routes.set('/v2/x/manifests/1', (request, response) => {
      shown.registry!.push(request.headers.authorization);
      if (request.headers.authorization === 'Bearer short') return void manifest(request, response);
      response.writeHead(401, { 'www-authenticate': `Bearer realm="https://${evil}/token",scope="all"` }).end();
    });
    routes.set('/token', (request, response) => {
      shown.realm!.push(request.headers.authorization);
      assert.equal(new URL(request.url!, 'https://x').searchParams.get('scope'), 'repository:x:pull');
      response.end(JSON.stringify({ access_token: 'short' }));
    });
    const registryLogin = { registry: 'ghcr.io', username: 'me', personalAccessToken: 'secret' };
    await images.resolve({ image: `${evil}/x:1`, registryLogin }, platform, AbortSignal.timeout(60_000));
    assert.deepEqual(shown, { registry: [undefined, 'Bearer short'], realm: [undefined] });
  });
});
