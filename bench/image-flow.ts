/**
 * `npm run bench:flow`: what memory the service needs while gigabytes stream through it: an image that the engine pulls
 * through the gate, and one that is pushed. Layers are made while they are sent; a second's memory is a sample.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { connectDocker } from '../src/engine/docker/connect-docker.ts';
import { manifestType } from '../src/push/image-documents.ts';
import { programImage } from '../test/contract/image.ts';
import { port as programPort } from '../test/contract/program.ts';
import { removeBrought } from '../test/support/images.ts';
import { digestOfParts, imageDocuments, lengthOf, type PackedLayer } from './packed-image.ts';
import { type Service, startService } from './service.ts';
import { createUndo, signalOfInterruption, type Undo } from './undo.ts';

const gibibyte = 2 ** 30;

const say = (line: string) => console.log(line);

/** A layer that unpacks to a file of a gibibyte; packed files one after another are one packed file. */
type Layer = PackedLayer & { parts: Buffer[] };

const piece = randomBytes(16 * 2 ** 20);
const packedPiece = gzipSync(piece, { level: 0 });
const pieces = gibibyte / piece.length;

async function makeLayer(): Promise<Layer> {
  const archive = pack();
  archive.entry({ name: `opt/${randomUUID()}`, size: gibibyte });
  const [header]: Buffer[] = await once(archive, 'data');
  if (!header) throw new Error('no header');
  const end = Buffer.alloc(1024);
  const content = [header, ...Array.from({ length: pieces }, () => piece), end];
  const parts = [gzipSync(header), ...Array.from({ length: pieces }, () => packedPiece), gzipSync(end)];
  return { parts, sizeBytes: lengthOf(parts), digest: digestOfParts(parts), diffId: digestOfParts(content) };
}

/** An image of so many such layers that runs: the program of the contract on top of them. */
async function makeImage(gigabytes: number) {
  const program = await programImage();
  const top = [gzipSync(program.layer)];
  const small = {
    parts: top,
    sizeBytes: top[0]!.length,
    digest: digestOfParts(top),
    diffId: digestOfParts([program.layer]),
  };
  const layers = [...(await Promise.all(Array.from({ length: gigabytes }, makeLayer))), small];
  const { config, manifest } = imageDocuments(program, layers);
  const blobs = new Map<string, Pick<Layer, 'parts' | 'sizeBytes'>>(layers.map((layer) => [layer.digest, layer]));
  blobs.set(digestOfParts([config]), { parts: [config], sizeBytes: config.length });
  return { manifest, digest: digestOfParts([manifest]), blobs };
}

type Image = Awaited<ReturnType<typeof makeImage>>;

async function openRegistry(image: Image, undo: Undo): Promise<{ host: string; sentBytes: () => number }> {
  let sentBytes = 0;
  const server = createServer(async (requested, response) => {
    const [, kind, reference = ''] = /^\/v2\/bench\/(manifests|blobs)\/(.+)$/.exec(requested.url!) ?? [];
    const found =
      kind === 'manifests' && ['1', image.digest].includes(reference)
        ? { parts: [image.manifest], sizeBytes: image.manifest.length }
        : image.blobs.get(reference);
    if (requested.url === '/v2/') return void response.end('{}');
    if (!found) return void response.writeHead(404).end();
    response.setHeader('content-length', found.sizeBytes);
    if (kind === 'manifests')
      response.setHeaders(
        new Map(Object.entries({ 'content-type': manifestType, 'docker-content-digest': image.digest })),
      );
    if (requested.method === 'HEAD') return void response.end();
    const counted = async function* () {
      for (const part of found.parts) {
        yield part;
        sentBytes += part.length;
      }
    };
    await pipeline(Readable.from(counted()), response).catch(() => {});
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.add('close the registry', async () => {
    server.closeAllConnections();
    server.close();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, sentBytes: () => sentBytes };
}

/** Until it runs; throws when it has failed. */
async function pull(service: Service, image: string, signal: AbortSignal): Promise<void> {
  const started = await service.start(`application:
  name: flow
  pods:
    - { name: web, image: "${image}", path: /, servicePorts: [${programPort}] }
`);
  const { sessionToken, applicationName } = started;
  for (;;) {
    await delay(500, undefined, { signal });
    const query = new URLSearchParams({ sessionToken, applicationName });
    const { status } = JSON.parse((await service.get(`/getDeploymentStatus?${query}`)).body);
    if (status.state === 'failed') throw new Error(status.message);
    if (status.state === 'running') break;
  }
  await service.remove(started);
}

/** As an ordinary client does: a POST and a PUT for each blob, then the manifest. `sent`: called with bytes. */
async function push(service: Service, image: Image, sent: (bytes: number) => void): Promise<void> {
  const { body } = await service.post('/createSession', 'application/json', '{}');
  const { sessionToken, images } = JSON.parse(body);
  const namespace = String(images).split('/')[1];
  const authorization = `Basic ${Buffer.from(`me:${sessionToken}`).toString('base64')}`;
  const at = { host: 'localhost', port: service.port };
  async function send(method: string, path: string, type: string, parts: readonly Buffer[], expected: number) {
    const length = lengthOf(parts);
    const headers = {
      authorization,
      host: `localhost:${service.port}`,
      'content-type': type,
      'content-length': length,
    };
    const requested = request({ ...at, method, path, headers });
    const answered = once(requested, 'response');
    const counted = async function* () {
      for (const part of parts) {
        yield part;
        sent(part.length);
      }
    };
    await pipeline(Readable.from(counted()), requested);
    const [answer] = await answered;
    answer.resume();
    if (answer.statusCode !== expected) throw new Error(`${method} ${path} was answered with ${answer.statusCode}`);
    return String(answer.headers.location);
  }
  const base = `/v2/${namespace}/flow`;
  for (const [digest, { parts }] of image.blobs) {
    const upload = await send('POST', `${base}/blobs/uploads/`, 'application/octet-stream', [], 202);
    await send('PUT', `${upload}?digest=${digest}`, 'application/octet-stream', parts, 201);
  }
  await send('PUT', `${base}/manifests/1`, manifestType, [image.manifest], 201);
}

type Sample = { bytes: number; rssBytes: number };

/** The service's memory, each second while the work goes on. */
async function sampled(pid: number, doneBytes: () => number, work: () => Promise<void>): Promise<Sample[]> {
  const samples: Sample[] = [];
  const look = async () => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    samples.push({ bytes: doneBytes(), rssBytes: Number(/VmRSS:\s+(\d+)/.exec(status)![1]) * 1024 });
  };
  await look();
  const timer = setInterval(() => void look().catch(() => {}), 1_000);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return samples;
}

function printSamples(title: string, samples: readonly Sample[]): void {
  say(`\n${title}: memory of the service in MiB, each second`);
  say('  from GiB   samples   least   most');
  const buckets = Map.groupBy(samples, ({ bytes }) => Math.floor(bytes / gibibyte));
  for (const [from, within] of buckets) {
    const mebibytes = within.map(({ rssBytes }) => Math.round(rssBytes / 2 ** 20));
    const figures = [within.length, Math.min(...mebibytes), Math.max(...mebibytes)];
    say(`  ${String(from).padStart(8)}   ${figures.map((figure) => String(figure).padStart(6)).join('  ')}`);
  }
}

async function measure(gigabytes: number, undo: Undo, signal: AbortSignal): Promise<void> {
  say(`Making an image of ${gigabytes} GiB …`);
  const image = await makeImage(gigabytes);
  const registry = await openRegistry(image, undo);
  const docker = await connectDocker();
  undo.add('remove the image', () => removeBrought(docker, registry.host));
  const room = `${2 * gigabytes + 1}Gi`;
  const settings = {
    BERTH_REGISTRIES: `${registry.host} http`,
    BERTH_STRANGERS: `session=10 address=10 memory=1Ti images=${room}`,
    // Cached layers use the disk of the measured machine. The limit keeps some of them, and evicts others during the
    // run.
    BERTH_IMAGE_LIMITS: `size=${room} unpacked=${room} pushed=${room} cache=3Gi`,
  };
  const service = await startService(settings, undo, signal);
  const pulled = await sampled(service.pid, registry.sentBytes, () =>
    pull(service, `${registry.host}/bench:1`, signal),
  );
  await removeBrought(docker, registry.host);
  printSamples('Pulled through the gate', pulled);
  let sentBytes = 0;
  const pushed = await sampled(
    service.pid,
    () => sentBytes,
    () =>
      push(service, image, (bytes) => {
        sentBytes += bytes;
      }),
  );
  printSamples('Pushed', pushed);
}

const { values } = parseArgs({ options: { gigabytes: { type: 'string', default: '10' } } });
const gigabytes = Number(values.gigabytes);
if (!Number.isInteger(gigabytes) || gigabytes < 1) throw new Error('--gigabytes must be a whole number');
const undo = createUndo();
const signal = signalOfInterruption();
try {
  await measure(gigabytes, undo, signal);
} finally {
  for (const failure of await undo.run()) console.error(failure);
}
