/** Images that are small on the wire and 21 GiB on the disk, next to a deployment that writes a little. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { isGateName } from '../../src/images/gate/distribution.ts';
import { digestOf } from '../../src/lib/digest.ts';
import { buildImage } from '../contract/image.ts';
import { shellYaml } from '../scenarios/applications.ts';
import { type Berth, createBerth, type Started } from '../scenarios/berth.ts';
import { removeBrought } from '../support/images.ts';
import { inTier } from '../tier.ts';

const pieceBytes = 64 * 2 ** 20;
/** More than 8 GiB have another header. */
const [files, piecesOfFile] = [3, 112];

type Packer = (bytes: Buffer) => Buffer;

describe('an image that is a bomb', () => {
  let docker: Docker;
  let berth: Berth;
  let neighbour: Started;
  let host: string;
  const documents = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const [, repository, reference = ''] = /^\/v2\/(\w+)\/(?:manifests|blobs)\/(.+)$/.exec(request.url!) ?? [];
    const found = documents.get(reference) ?? documents.get(`${repository}:${reference}`);
    if (!found) return void response.writeHead(404).end();
    if (request.url!.includes('/manifests/')) {
      response.setHeader('content-type', manifestType);
      response.setHeader('docker-content-digest', digestOf(found));
    }
    response.end(request.method === 'HEAD' ? undefined : found);
  });

  before(async () => {
    docker = await connectDocker();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    berth = await createBerth({ BERTH_REGISTRIES: `${host} http`, BERTH_IMAGE_LIMITS: 'unpacked=2Gi' });
    await berth.serve();
    const image = await buildImage(docker, { name: 'contract' });
    neighbour = await berth.start(writerYaml(image));
    await berth.reach(neighbour, 'running');
  });
  after(async () => {
    await berth?.destroy();
    if (docker && host) await removeBrought(docker, host);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const packers: [name: string, pack: Packer][] = [
    ['gzip', (bytes) => gzipSync(bytes)],
    ['zstd', (bytes) => zstdCompressSync(bytes)],
  ];

  for (const [name, packer] of inTier(packers.slice(0, 1), packers.slice(1))) {
    test(`is refused for its unpacked size, and a neighbour that writes gets no notification: ${name}`, async () => {
      const before = (await berth.history(neighbour)).length;
      publish(name, await bombOf(packer));
      const bomb = await berth.start(bombYaml(name, `${host}/${name}:1`));
      const { message } = await berth.reach(bomb, 'failed');
      assert.match(message, /unpacks to more than 2 GiB, the maximum for an image/);
      await berth.remove(bomb);

      const status = await berth.status(neighbour);
      assert.deepEqual([status.state, status.health], ['running', 'running']);
      assert.deepEqual([status.pods[0].restarts, status.disk], [0, undefined]);
      assert.equal((await berth.history(neighbour)).length, before, 'no event');
      const { sessionToken, applicationName } = neighbour;
      const logs = await berth.get(`/getDeploymentLogs?${new URLSearchParams({ applicationName })}`, {
        authorization: `Bearer ${sessionToken}`,
      });
      assert.doesNotMatch(logs.text, /failed to write/);
      const names = (await docker.listImages()).flatMap(({ RepoTags, RepoDigests }) => [
        ...(RepoTags ?? []),
        ...(RepoDigests ?? []),
      ]);
      assert.ok(!names.some((each) => isGateName(each) && each.includes(`/${name}`)), 'it is removed completely');
    });
  }

  function publish(repository: string, layer: Buffer): void {
    const add = (bytes: Buffer) => {
      documents.set(digestOf(bytes), bytes);
      return { digest: digestOf(bytes), size: bytes.length };
    };
    const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
    const rootfs = { type: 'layers', diff_ids: [digestOf(layer)] };
    const config = Buffer.from(JSON.stringify({ os: 'linux', architecture, config: {}, rootfs }));
    const manifest = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: manifestType,
        config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...add(config) },
        layers: [{ mediaType: `application/vnd.oci.image.layer.v1.tar+${repository}`, ...add(layer) }],
      }),
    );
    add(manifest);
    documents.set(`${repository}:1`, manifest);
  }
});

const manifestType = 'application/vnd.oci.image.manifest.v1+json';

const bombYaml = (name: string, image: string) => `application:
  name: bomb-${name}
  pods:
    - { name: web, image: "${image}", path: /, servicePorts: [8080] }
`;

/** Writes a megabyte again and again. */
function writerYaml(image: string): string {
  const script =
    'httpd -p 8080 -h /www; while :; do head -c 1000000 /dev/zero >/data/file || echo failed to write; sleep 0.05; done';
  return shellYaml('writer', image, script, ['{ name: data, size: 16Mi, mountPath: /data }']);
}

/** Files of zeros: packed files one after another are one packed file. */
async function bombOf(packer: Packer): Promise<Buffer> {
  const zeros = packer(Buffer.alloc(pieceBytes));
  const parts: Buffer[] = [];
  for (let index = 0; index < files; index++) {
    parts.push(packer(await headerOf(`zeros-${index}`, piecesOfFile * pieceBytes)));
    for (let piece = 0; piece < piecesOfFile; piece++) parts.push(zeros);
  }
  return Buffer.concat(parts);
}

async function headerOf(name: string, size: number): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name, size });
  for await (const header of archive as AsyncIterable<Buffer>) {
    assert.equal(header.length, 512);
    return header;
  }
  throw new Error('an archive begins with a header');
}
