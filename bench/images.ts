/**
 * The cost of the image gate: the time until an application with a new image is live, compared with the engine's own
 * pull of an image of the same size from the same registry on this machine; and again after the engine has lost the
 * image. The lower bound is the engine's pull of such layers, unpacked, from memory.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import { connectDocker } from '../src/engine/docker/connect-docker.ts';
import { digestOf } from '../src/lib/digest.ts';
import { manifestType } from '../src/push/image-documents.ts';
import { programImage } from '../test/contract/image.ts';
import { identityPath, port as programPort } from '../test/contract/program.ts';
import { removeBrought } from '../test/support/images.ts';
import { untilOk } from './http.ts';
import { digestOfParts, imageDocuments, lengthOf } from './packed-image.ts';
import { startService } from './service.ts';
import type { Undo } from './undo.ts';

export type ImageTimes = {
  /** The sent size of the layers of one image. */
  sentBytes: number;
  /** Milliseconds, one for each round. */
  own: number[];
  /** The engine's own pull of layers that are unpacked already. */
  unpacked: number[];
  cold: number[];
  warm: number[];
  /** With the image on the engine. */
  here: number[];
  /** Most memory of the service, before anything was pulled and at the end. */
  memoryBytes: { before: number; after: number };
};

export async function measureImages(
  { rounds, settings }: { rounds: number; settings: Readonly<Record<string, string>> },
  undo: Undo,
  signal: AbortSignal,
): Promise<ImageTimes> {
  const docker = await connectDocker();
  const registry = await openRegistry();
  undo.add('close the registry', registry.close);
  undo.add('remove the images', () => removeBrought(docker, registry.host));
  const service = await startService({ BERTH_REGISTRIES: `${registry.host} http`, ...settings }, undo, signal);
  const memoryOf = async () =>
    Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${service.pid}/status`, 'utf8'))![1]) * 1024;
  const before = await memoryOf();

  async function live(image: string): Promise<number> {
    const begunAt = performance.now();
    const started = await service.start(yamlOf(image));
    const liveAt = await untilOk({ port: service.port, host: started.host, path: identityPath }, signal);
    await service.remove(started);
    return liveAt - begunAt;
  }

  const times: Omit<ImageTimes, 'sentBytes' | 'memoryBytes'> = { own: [], unpacked: [], cold: [], warm: [], here: [] };
  for (let round = 0; round < rounds; round++) {
    const ours = async () => {
      const image = await registry.publish();
      times.cold.push(await live(image));
      await removeBrought(docker, registry.host);
      times.warm.push(await live(image));
      times.here.push(await live(image));
      await removeBrought(docker, registry.host);
    };
    const own = async () => {
      times.own.push(await timedPull(docker, await registry.publish()));
      times.unpacked.push(await timedPull(docker, await registry.publish('none')));
    };
    // Neither always runs after the other.
    for (const contender of round % 2 === 0 ? [own, ours] : [ours, own]) await contender();
  }
  return { ...times, sentBytes: registry.sentBytes, memoryBytes: { before, after: await memoryOf() } };
}

const yamlOf = (image: string) => `application:
  name: pulled
  pods:
    - name: web
      image: ${image}
      path: /
      servicePorts: [${programPort}]
`;

async function timedPull(docker: Docker, image: string): Promise<number> {
  const begunAt = performance.now();
  const stream = await docker.pull(image);
  await new Promise<void>((resolve, reject) =>
    docker.modem.followProgress(stream, (error) => (error ? reject(error) : resolve())),
  );
  const ms = performance.now() - begunAt;
  await docker.getImage(image).remove();
  return ms;
}

/** In parts, so that what layers have in common is in memory once. */
type Layer = { packed: Buffer[]; raw: Buffer[]; diffId: string };

/** A registry on loopback with images that differ in all of their layers. */
async function openRegistry() {
  const program = await programImage();
  // Content of the images: a program of 120 MB.
  const base = layerContent(await tarOf('opt/program', await readFile(process.execPath)));
  const small = layerContent(program.layer);
  const documents = new Map<string, Buffer[]>();
  const server = createServer((request, response) => {
    const [, kind, reference = ''] = /^\/v2\/bench\/(manifests|blobs)\/(.+)$/.exec(request.url!) ?? [];
    const found = documents.get(reference);
    if (request.url === '/v2/') return void response.end('{}');
    if (!kind || !found) return void response.writeHead(404).end();
    response.setHeader('content-length', lengthOf(found));
    if (kind === 'manifests') {
      response.setHeader('content-type', manifestType);
      response.setHeader('docker-content-digest', digestOfParts(found));
    }
    if (request.method !== 'HEAD') for (const part of found) response.write(part);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** The same content with a file of its own before it: packed files one after another are one packed file. */
  async function layerOf({ raw, packed }: typeof base): Promise<Layer> {
    const mark = (await tarOf(`opt/${randomUUID()}`, Buffer.from(randomUUID()))).subarray(0, -endBytes);
    return { packed: [gzipSync(mark), packed], raw: [mark, raw], diffId: digestOfParts([mark, raw]) };
  }

  async function publish(compression: 'none' | 'gzip' = 'gzip'): Promise<string> {
    documents.clear();
    const layers = [await layerOf(small), await layerOf(base), await layerOf(base)];
    const described = layers.map(({ packed, raw, diffId }) => {
      const parts = compression === 'gzip' ? packed : raw;
      const digest = compression === 'gzip' ? digestOfParts(packed) : diffId;
      documents.set(digest, parts);
      return { digest, sizeBytes: lengthOf(parts), diffId };
    });
    const { config, manifest } = imageDocuments(program, described, compression);
    const tag = randomUUID();
    documents.set(digestOf(config), [config]).set(digestOf(manifest), [manifest]).set(tag, [manifest]);
    return `${host}/bench:${tag}`;
  }

  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { host, publish, close, sentBytes: 2 * base.packed.length };
}

function layerContent(raw: Buffer): { raw: Buffer; packed: Buffer } {
  return { raw, packed: gzipSync(raw, { level: 6 }) };
}

/** An archive ends with so many zeros. */
const endBytes = 1024;

async function tarOf(name: string, content: Buffer): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name }, content);
  archive.finalize();
  return Buffer.concat(await Array.fromAsync(archive as AsyncIterable<Buffer>));
}
