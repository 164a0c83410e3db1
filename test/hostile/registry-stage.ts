/**
 * A hostile registry for tests: it has a name and a certificate, and 127.0.0.1 counts as the public internet. A service
 * on 127.0.0.2 stands for private addresses. Requests to the gate play the engine.
 */
import assert from 'node:assert/strict';
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { RegistryLogin } from '../../src/config/spec/spec.ts';
import { ImageFault } from '../../src/images/image-fault.ts';
import type { Images } from '../../src/images/open.ts';
import { digestOf } from '../../src/lib/digest.ts';
import { makeCertificate } from '../support/certificate.ts';
import { openTestImages } from '../support/images.ts';
import { askGate } from '../support/pulled-image.ts';

/** `unpacked`: what it is when it is unpacked, as far as it can be. */
export type Blob = { bytes: Buffer; digest: string; unpacked: Buffer };
export type Manifest = { schemaVersion: number; mediaType: string; config: object; layers: object[] };

export const platform = { os: 'linux', architecture: 'amd64' };
export const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const configType = 'application/vnd.oci.image.config.v1+json';
const layerType = 'application/vnd.oci.image.layer.v1.tar';

export type RegistryStage = Awaited<ReturnType<typeof openRegistryStage>>;

/** The hostile registry, `evil`, answers by its `routes`, path by path; the rest speaks to the layer of images. */
export async function openRegistryStage() {
  const routes = new Map<string, RequestListener>();
  /** Requests that reached what is not public. */
  const reached: string[] = [];
  const servers: Server[] = [];
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
  const evil = `evil.example:${await listen(createServer(pair, serveEvil), '127.0.0.1')}`;
  const secret = {
    plain: `127.0.0.2:${await listen(createPlainServer(inside), '127.0.0.2')}`,
    tls: `127.0.0.2:${await listen(createServer(pair, inside), '127.0.0.2')}`,
  };
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
  const opened = await open({ pace: { patienceMs: 60_000, minBytesPerSecond: 100_000 }, answerMs: 60_000 });
  const { images } = opened;

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
      JSON.stringify({
        ...platform,
        config: {},
        rootfs: { diff_ids: layers.map(({ unpacked }) => digestOf(unpacked)) },
      }),
    );
    const manifest = {
      schemaVersion: 2,
      mediaType: manifestType,
      config: descriptorOf(config, configType),
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

  /** Pulls as the engine does: how many bytes of each layer came, or why the image is not offered. */
  async function pull(
    image: string,
    {
      roomBytes,
      through = images,
      registryLogin,
    }: { roomBytes?: number; through?: Images; registryLogin?: RegistryLogin } = {},
  ): Promise<{ came: number[]; fault: ImageFault | undefined }> {
    const request = { image, ...(registryLogin && { registryLogin }) };
    const resolved = await images.resolve(request, platform, AbortSignal.timeout(60_000));
    const came: number[] = [];
    try {
      const offering = { signal: new AbortController().signal, ...(roomBytes !== undefined && { roomBytes }) };
      await using offer = await through.offer(resolved, offering);
      for (const { digest } of resolved.layers)
        came.push((await (await askGate(offer, `blobs/${digest}`)).arrayBuffer()).byteLength);
      return { came, fault: undefined };
    } catch (error) {
      if (error instanceof ImageFault) return { came, fault: error };
      throw error;
    }
  }

  async function givenUp(repository: string, words: RegExp, through = images): Promise<void> {
    const { came, fault } = await pull(`${evil}/${repository}:1`, { through });
    assert.match(fault?.message ?? 'nothing', words);
    assert.equal(fault!.image, `${evil}/${repository}:1`);
    assert.deepEqual(came, [], 'the engine never gets a byte of it');
    assert.deepEqual(reached, []);
  }

  return {
    routes,
    evil,
    secret,
    images,
    open,
    resolve,
    send,
    publish,
    refusedAs,
    pull,
    givenUp,
    clear() {
      routes.clear();
      reached.length = 0;
    },
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      for (const server of servers) await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function blobOf(content: Buffer | string): Blob {
  const bytes = Buffer.from(content);
  return { bytes, digest: digestOf(bytes), unpacked: unpack(bytes) };
}

function unpack(bytes: Buffer): Buffer {
  try {
    return bytes[0] === 0x1f ? gunzipSync(bytes) : zstdDecompressSync(bytes);
  } catch {
    return bytes;
  }
}

export function descriptorOf({ bytes, digest }: Blob, mediaType = layerType): object {
  return { mediaType, digest, size: bytes.length };
}
