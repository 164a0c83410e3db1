/**
 * What a registry could make this machine do. It has a name and a certificate, and to this test 127.0.0.1 is the public
 * internet; a service on 127.0.0.2 stands for all that is not. The engine is played by requests to the gate.
 */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { RegistryLogin } from '../../src/config/spec/spec.ts';
import { ImageFault } from '../../src/images/image-fault.ts';
import type { Images } from '../../src/images/open.ts';
import { makeCertificate } from '../support/certificate.ts';
import { openTestImages } from '../support/images.ts';

type Blob = { bytes: Buffer; digest: string };

const platform = { os: 'linux', architecture: 'amd64' };
const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const indexType = 'application/vnd.oci.image.index.v1+json';
const layerType = 'application/vnd.oci.image.layer.v1.tar';

describe('a hostile registry', () => {
  const routes = new Map<string, RequestListener>();
  /** Requests that reached what is not public. */
  const reached: string[] = [];
  const servers: Server[] = [];
  let evil: string;
  let secret: { plain: string; tls: string };
  let opened: Awaited<ReturnType<typeof openTestImages>>;
  let images: Images;

  before(async () => {
    const pair = await makeCertificate('DNS:evil.example', 'DNS:inside.example', 'IP:127.0.0.2');
    setDefaultCACertificates([...getCACertificates(), pair.cert]);
    const serveEvil: RequestListener = (request, response) => {
      const route = routes.get(new URL(request.url!, 'https://x').pathname);
      if (route) return void route(request, response);
      response.statusCode = 404;
      response.end();
    };
    const inside: RequestListener = (request, response) => {
      reached.push(`${request.method} ${request.url}`);
      response.end(JSON.stringify({ token: 'the-credentials-of-this-machine' }));
    };
    const listen = async (server: Server, address: string) => {
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, address, resolve));
      return (server.address() as AddressInfo).port;
    };
    evil = `evil.example:${await listen(createServer(pair, serveEvil), '127.0.0.1')}`;
    secret = {
      plain: `127.0.0.2:${await listen(createPlainServer(inside), '127.0.0.2')}`,
      tls: `127.0.0.2:${await listen(createServer(pair, inside), '127.0.0.2')}`,
    };
    opened = await open({ pace: { patienceMs: 60_000, leastBytesPerSecond: 100_000 }, answerMs: 60_000 });
    images = opened.images;
  });
  after(async () => {
    await opened?.[Symbol.asyncDispose]();
    for (const server of servers) await new Promise((resolve) => server.close(resolve));
  });
  beforeEach(() => {
    routes.clear();
    reached.length = 0;
  });

  const open = (patience: object) =>
    openTestImages(
      [],
      { imageBytes: 50_000_000, imageUnpackedBytes: 6_000_000 },
      {
        resolve: async (name) => (name === 'inside.example' ? ['127.0.0.2'] : ['127.0.0.1']),
        isAllowed: (address) => address === '127.0.0.1',
        ...patience,
      },
    );
  const resolve = (image: string, signal = AbortSignal.timeout(60_000)) => images.resolve({ image }, platform, signal);
  const send =
    (bytes: Buffer, type?: string): RequestListener =>
    (_, response) => {
      if (type) response.setHeader('content-type', type);
      response.end(bytes);
    };
  const serve = (repository: string, blob: Blob) =>
    routes.set(`/v2/${repository}/blobs/${blob.digest}`, send(blob.bytes));

  /** An image whose every part is right, but for what is changed. */
  function publish(repository: string, layers: Blob[], change: (manifest: Manifest) => unknown = (same) => same): void {
    const config = blobOf(
      JSON.stringify({ ...platform, config: {}, rootfs: { diff_ids: layers.map((each) => each.digest) } }),
    );
    const manifest = {
      schemaVersion: 2,
      mediaType: manifestType,
      config: descriptorOf(config),
      layers: layers.map((each) => descriptorOf(each)),
    };
    for (const blob of [config, ...layers]) serve(repository, blob);
    const text = Buffer.from(JSON.stringify(change(manifest)));
    for (const reference of ['1', blobOf(text).digest])
      routes.set(`/v2/${repository}/manifests/${reference}`, send(text, manifestType));
  }

  async function refusedAs(work: Promise<unknown>, kind: ImageFault['kind'], words: RegExp): Promise<void> {
    await assert.rejects(work, (error) => {
      assert.ok(error instanceof ImageFault, String(error));
      assert.equal(error.kind, kind, error.message);
      assert.match(error.message, words);
      return true;
    });
    assert.deepEqual(reached, []);
  }

  /** Pulls as the engine does; answers how many bytes of each layer came before the connection ended. */
  async function pull(
    image: string,
    { roomBytes, through = images }: { roomBytes?: number; through?: Images } = {},
  ): Promise<{ came: number[]; fault: ImageFault | undefined }> {
    const resolved = await resolve(image);
    let fault: ImageFault | undefined;
    using offer = through.offer(resolved, {
      failed: (reason) => (fault ??= reason),
      ...(roomBytes !== undefined && { roomBytes }),
    });
    const [, host, name] = /^([^/]+)\/(.+)@/.exec(offer.reference)!;
    const { username, password } = offer.auth;
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    const came: number[] = [];
    for (const { digest } of resolved.layers) {
      const { body } = await fetch(`http://${host}/v2/${name}/blobs/${digest}`, { headers: { authorization } });
      let bytes = 0;
      try {
        for await (const chunk of body!) bytes += chunk.length;
      } catch {
        // The gate has cut it off.
      }
      came.push(bytes);
    }
    return { came, fault };
  }

  async function givenUp(repository: string, layer: Blob, words: RegExp, through = images): Promise<void> {
    const { came, fault } = await pull(`${evil}/${repository}:1`, { through });
    assert.match(fault?.message ?? 'nothing', words);
    assert.equal(fault!.image, `${evil}/${repository}:1`);
    assert.ok(came[0]! < layer.bytes.length, 'the engine never has the whole layer');
    assert.deepEqual(reached, []);
  }

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
      await givenUp('x', layer, /sends to/);
      routes.set('/v2/x/manifests/1', redirect);
      await refusedAs(resolve(`${evil}/x:1`), 'bad-request', /sends to/);
    }
  });

  test('cannot say that its layers lie elsewhere, or are of a kind that nobody knows', async () => {
    const layer = blobOf(randomBytes(1000));
    const withLayer = (more: object) => (manifest: Manifest) => ({
      ...manifest,
      layers: [{ ...manifest.layers[0], ...more }],
    });
    const tries: [object, RegExp][] = [
      [{ urls: [`http://${secret.plain}/layer`] }, /lie elsewhere than in its registry/],
      [{ mediaType: 'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip' }, /foreign layers/],
      [{ mediaType: 'application/vnd.oci.image.layer.nondistributable.v1.tar' }, /foreign layers/],
      [
        { mediaType: 'application/vnd.cncf.helm.chart' },
        /a layer of an unknown kind: application\/vnd\.cncf\.helm\.chart/,
      ],
      [{ digest: 'sha512:00' }, /a digest that is not sha256/],
      [{ size: -1 }, /no manifest/],
    ];
    for (const [more, words] of tries) {
      publish('x', [layer], withLayer(more));
      await refusedAs(resolve(`${evil}/x:1`), 'bad-request', words);
    }
  });

  test('cannot send a manifest that is too large, or an image with too much of anything', async () => {
    routes.set('/v2/x/manifests/1', send(Buffer.alloc(5_000_000, ' '), manifestType));
    await refusedAs(resolve(`${evil}/x:1`), 'bad-request', /describes .* with more than it may/);
    const layer = blobOf(randomBytes(10));
    publish(
      'x',
      Array.from({ length: 10_000 }, () => layer),
    );
    await refusedAs(resolve(`${evil}/x:1`), 'bad-request', /has 10000 layers; at most 127 are allowed/);
    publish('x', [layer], (manifest) => ({ ...manifest, layers: [{ ...manifest.layers[0], size: 10 ** 12 }] }));
    await refusedAs(resolve(`${evil}/x:1`), 'bad-request', /has 931\.3 GiB; at most 47\.7 MiB are allowed/);
  });

  test('cannot nest indexes, or hide that it has nothing for this server', async () => {
    const inner = blobOf(JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests: [] }));
    const outer = (architecture: string) =>
      Buffer.from(
        JSON.stringify({
          ...{ schemaVersion: 2, mediaType: indexType },
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

  test('cannot send something else than a digest says', async () => {
    const layer = blobOf(randomBytes(100_000));
    publish('x', [layer]);
    const wrong = `sha256:${'0'.repeat(64)}`;
    routes.set(`/v2/x/manifests/${wrong}`, routes.get('/v2/x/manifests/1')!);
    await refusedAs(resolve(`${evil}/x@${wrong}`), 'bad-request', /is not what its digest says/);
    for (const [bytes, words] of [
      [randomBytes(100_000), /is not what its digest says/],
      [layer.bytes.subarray(1), /is shorter than its manifest says/],
      [Buffer.concat([layer.bytes, layer.bytes]), /is longer than its manifest says/],
    ] as const) {
      routes.set(`/v2/x/blobs/${layer.digest}`, send(bytes));
      await givenUp('x', layer, words);
    }
  });

  test('cannot send what unpacks to more than an image may have, however it is packed', async () => {
    const zeros = Buffer.alloc(7_000_000);
    for (const bytes of [gzipSync(zeros), Buffer.concat([gzipSync(zeros), gzipSync(zeros)]), zstdCompressSync(zeros)]) {
      const bomb = blobOf(bytes);
      publish('x', [bomb]);
      await givenUp('x', bomb, /unpacks to more than 5\.7 MiB/);
    }
    // Each alone would do.
    const halves = [blobOf(gzipSync(zeros.subarray(0, 3_500_000))), blobOf(gzipSync(zeros.subarray(0, 3_600_000)))];
    publish('x', halves);
    const { came, fault } = await pull(`${evil}/x:1`);
    assert.equal(came[0], halves[0]!.bytes.length);
    assert.match(fault?.message ?? '', /unpacks to more than 5\.7 MiB/);
  });

  test('cannot fill the disk: what has no room there is cut off before the engine could unpack it', async () => {
    const layer = blobOf(gzipSync(Buffer.alloc(5_000_000)));
    publish('x', [layer]);
    const { came, fault } = await pull(`${evil}/x:1`, { roomBytes: 4_000_000 });
    assert.equal(fault?.kind, 'out-of-disk');
    assert.ok(came[0]! < layer.bytes.length);
    assert.equal((await pull(`${evil}/x:1`, { roomBytes: 5_000_000 })).fault, undefined);
  });

  test('cannot have a layer run that it does not have, although it is on the host', async () => {
    const layer = blobOf(gzipSync(randomBytes(1_000)));
    // The engine has it already, and asks for nothing.
    const faultOf = async (image: string, registryLogin?: RegistryLogin) => {
      const request = { image, ...(registryLogin && { registryLogin }) };
      const resolved = await images.resolve(request, platform, AbortSignal.timeout(60_000));
      let fault: ImageFault | undefined;
      using offer = images.offer(resolved, { failed: (reason) => (fault ??= reason) });
      await offer.confirm();
      return fault?.message;
    };
    for (const repository of ['thief', 'second-thief', 'owner', 'another-owner']) publish(repository, [layer]);
    const lies: RequestListener[] = [(_, response) => void response.writeHead(404).end(), send(randomBytes(1_000))];
    lies.forEach((lie, index) => {
      routes.set(`/v2/${['thief', 'second-thief'][index]}/blobs/${layer.digest}`, lie);
    });
    const refused = [/does not exist/, /cannot be had/];
    const login = { registry: evil, username: 'me', personalAccessToken: 'secret' };
    // Whose own login has shown it shows it to nobody else.
    assert.equal(await faultOf(`${evil}/owner:1`, login), undefined);
    assert.match((await faultOf(`${evil}/thief:1`)) ?? '', refused[0]!);
    assert.match((await faultOf(`${evil}/second-thief:1`)) ?? '', refused[1]!);
    // What its registry shows to everybody is anybody's.
    assert.equal(await faultOf(`${evil}/another-owner:1`), undefined);
    assert.equal(await faultOf(`${evil}/thief:1`), undefined);
  });

  test('that has been asked too often is left alone for as long as it says, by whom it said that to', async () => {
    let asked = 0;
    publish('y', [blobOf(randomBytes(10))]);
    routes.set('/v2/busy/manifests/1', (_, response) => {
      asked++;
      response.writeHead(429, { 'retry-after': '600' }).end();
    });
    for (let time = 0; time < 3; time++)
      await refusedAs(resolve(`${evil}/busy:1`), 'registry-unreachable', /\(its rate limit\) for about 10 min/);
    assert.equal(asked, 1);
    await resolve(`${evil}/y:1`);
  });

  test('cannot send what an engine unpacks and nobody counts, or nobody can unpack', async () => {
    const tries: [Buffer, RegExp][] = [
      [Buffer.concat([Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), randomBytes(1000)]), /neither gzip nor zstd/],
      [Buffer.concat([Buffer.from('BZh9'), randomBytes(1000)]), /neither gzip nor zstd/],
      [Buffer.concat([Buffer.from([0x50, 0x2a, 0x4d, 0x18]), randomBytes(1000)]), /neither gzip nor zstd/],
      [Buffer.concat([Buffer.from([0x1f, 0x8b, 8]), randomBytes(1000)]), /cannot be unpacked/],
    ];
    for (const [bytes, words] of tries) {
      const layer = blobOf(bytes);
      publish('x', [layer]);
      await givenUp('x', layer, words);
    }
  });

  test('cannot keep us waiting: by silence, by a drip, or by redirects without end', async () => {
    await using impatient = await open({ pace: { patienceMs: 500, leastBytesPerSecond: 100_000 }, answerMs: 500 });
    const layer = blobOf(randomBytes(1_000_000));
    publish('x', [layer]);
    routes.set(`/v2/x/blobs/${layer.digest}`, (_, response) => {
      response.write(layer.bytes.subarray(0, 500_000));
      const drip = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(drip));
    });
    await givenUp('x', layer, /stopped answering/, impatient.images);
    routes.set('/v2/x/manifests/1', () => {});
    const answered = impatient.images.resolve({ image: `${evil}/x:1` }, platform, AbortSignal.timeout(60_000));
    await refusedAs(answered, 'registry-unreachable', /stopped answering/);
    routes.set(
      '/v2/x/manifests/1',
      (_, response) => void response.writeHead(302, { location: '/v2/x/manifests/1' }).end(),
    );
    await refusedAs(resolve(`${evil}/x:1`), 'registry-unreachable', /redirects without end/);
  });

  test('that cuts its connection is asked for the rest', async () => {
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

  test('whose token has expired in the middle of a pull is asked for another one', async () => {
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

type Manifest = { schemaVersion: number; mediaType: string; config: object; layers: object[] };

function blobOf(content: Buffer | string): Blob {
  const bytes = Buffer.from(content);
  return { bytes, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` };
}

function descriptorOf({ bytes, digest }: Blob, mediaType?: string): object {
  const type = mediaType ?? (bytes[0] === 0x7b ? 'application/vnd.oci.image.config.v1+json' : layerType);
  return { mediaType: type, digest, size: bytes.length };
}
