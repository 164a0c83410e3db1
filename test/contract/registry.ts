/**
 * A registry of images on 127.0.0.1, where Docker does not require TLS. Implements only the part of the distribution
 * API that a pull needs: a repository has one image.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pack } from 'tar-stream';
import { digestOf } from '../../src/lib/digest.ts';

/** Bytes of a layer, sent in pieces so that a pull reports progress. */
const layerSize = 3 * 2 ** 20;
const pieceSize = 2 ** 18;
const pieceEveryMs = 10;

export type Registry = {
  /** `host:port` */
  host: string;
  /** How often a layer was requested. */
  layersServed(): number;
  /** The number of all requests. */
  requests(): number;
  /** Makes the tag `good:1` mean another image from now on; the earlier one stays there by its digest. */
  move(): Promise<void>;
  /**
   * A repository of its own whose layers come half and then no further, until it is let go: so many layers, or that of
   * the program and so many more.
   */
  hold(repository: string, layers: number, runs?: 'runs'): Promise<Held>;
  close(): Promise<void>;
};

/** `letMore`: one more piece of each layer comes. */
export type Held = { image: string; letMore: () => void; letGo: () => void };

export const login = { username: 'me', personalAccessToken: 'secret' };
const basic = `Basic ${Buffer.from(`${login.username}:${login.personalAccessToken}`).toString('base64')}`;

export type RegistryOptions = {
  architecture: string;
  foreignArchitecture: string;
  needsLogin: boolean;
  /** Where it listens; default: 127.0.0.1. */
  address?: string;
  /** Another repository, `program`: one layer, and how a container of it starts. */
  program?: { layer: Buffer; config: object };
};

/** Repositories: `good`, `foreign` (for `foreignArchitecture`), `busy` (HTTP 429), `silent` (no answer). Tag: `1`. */
export async function startRegistry(options: RegistryOptions): Promise<Registry> {
  const { architecture, foreignArchitecture, program, address = '127.0.0.1' } = options;
  const images: Record<string, Image> = {
    good: await makeImage(architecture),
    foreign: await makeImage(foreignArchitecture),
    ...(program && { program: packImage(architecture, [program.layer], program.config) }),
  };
  const held = new Map<string, () => Promise<void>>();
  const earlier: Image[] = [];
  let layersServed = 0;
  let requests = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests++;
    const [, repository = '', kind = '', reference = ''] =
      /^\/v2\/([\w-]+)\/(manifests|blobs)\/(.+)$/.exec(request.url ?? '') ?? [];
    if (options.needsLogin && request.headers.authorization !== basic) {
      response.setHeader('www-authenticate', 'Basic realm="test"');
      return refuse(response, 401, 'UNAUTHORIZED', 'authentication required');
    }
    if (request.url === '/v2/') return void response.end('{}');
    if (repository === 'busy') return refuse(response, 429, 'TOOMANYREQUESTS', 'toomanyrequests: slow down');
    if (repository === 'silent') return;
    const known = images[repository];
    const image = [known, ...earlier].find((each) => each?.digest === reference || each?.blobs.has(reference)) ?? known;
    if (kind === 'manifests' && image && [image.digest, '1'].includes(reference)) {
      response.setHeader('content-type', 'application/vnd.docker.distribution.manifest.v2+json');
      response.setHeader('docker-content-digest', image.digest);
      response.setHeader('content-length', image.manifest.length);
      return void response.end(image.manifest);
    }
    const blob = image?.blobs.get(reference);
    if (kind !== 'blobs' || !blob) return refuse(response, 404, 'MANIFEST_UNKNOWN', 'manifest unknown');
    response.setHeader('content-length', blob.length);
    if (blob.length >= layerSize) layersServed++;
    for (let at = 0; at < blob.length; at += pieceSize) {
      if (at >= blob.length / 2) await held.get(repository)?.();
      response.write(blob.subarray(at, at + pieceSize));
      if (blob.length > pieceSize) await new Promise((resolve) => setTimeout(resolve, pieceEveryMs));
    }
    response.end();
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const host = `${address}:${(server.address() as AddressInfo).port}`;
  return {
    host,
    layersServed: () => layersServed,
    requests: () => requests,
    async move() {
      earlier.push(images.good!);
      images.good = await makeImage(architecture);
    },
    async hold(repository, layers, runs) {
      const image = await makeImage(architecture, layers, runs && program);
      images[repository] = image;
      const all = Promise.withResolvers<void>();
      let next = Promise.withResolvers<void>();
      held.set(repository, () => Promise.race([all.promise, next.promise]));
      const letMore = () => {
        next.resolve();
        next = Promise.withResolvers();
      };
      return { image: `${host}/${repository}:1`, letMore, letGo: all.resolve };
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ errors: [{ code, message }] }));
}

type Image = ReturnType<typeof packImage>;

type Program = NonNullable<RegistryOptions['program']>;

/** Layers of random bytes, and nothing in them that could run, unless it is the program. */
async function makeImage(architecture: string, count = 2, program?: Program): Promise<Image> {
  const layers = await Promise.all(Array.from({ length: count }, makeLayer));
  const { layer, config } = program ?? { config: { Cmd: ['/nothing'] } };
  return packImage(architecture, [...(layer ? [layer] : []), ...layers], config);
}

function packImage(architecture: string, layers: Buffer[], howToStart: object) {
  const config = Buffer.from(
    JSON.stringify({
      architecture,
      os: 'linux',
      config: howToStart,
      rootfs: { type: 'layers', diff_ids: layers.map(digestOf) },
      // Without it, buildah fails at the second step on top of the image, and without the date it uses no cache.
      history: layers.map(() => ({ created: '2026-01-01T00:00:00Z', created_by: 'a test' })),
    }),
  );
  const describe = (mediaType: string, blob: Buffer) => ({ mediaType, size: blob.length, digest: digestOf(blob) });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
      config: describe('application/vnd.docker.container.image.v1+json', config),
      layers: layers.map((layer) => describe('application/vnd.docker.image.rootfs.diff.tar', layer)),
    }),
  );
  const blobs = new Map<string, Buffer>([config, ...layers].map((blob) => [digestOf(blob), blob]));
  return { manifest, digest: digestOf(manifest), blobs };
}

async function makeLayer(): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: 'content' }, randomBytes(layerSize));
  archive.finalize();
  return Buffer.concat(await Array.fromAsync(archive as AsyncIterable<Buffer>));
}
