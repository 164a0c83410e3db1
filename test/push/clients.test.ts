/** Clients as they are: Docker's engine, skopeo, and containerd's way of pushing, through the edge. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { pack } from 'tar-stream';
import { digestOf } from '../../src/lib/digest.ts';
import { bytesOfAll } from '../../src/store/image-namespaces.ts';
import { findPushedManifest } from '../../src/store/pushed-images.ts';
import { type ImageRegistry, openImageRegistry } from '../support/image-registry.ts';

const run = promisify(execFile);
const docker = new Docker();
const megabyte = 2 ** 20;
let registry: ImageRegistry;
let token: string;
let namespace: string;
let directory: string;
/** Docker builds of two unique layers. */
const made = new Set<string>();
before(async () => {
  registry = await openImageRegistry();
  ({ token, namespace } = await registry.pusher());
  directory = await mkdtemp(join(tmpdir(), 'berth-clients-'));
});
after(async () => {
  for (const image of made)
    await docker
      .getImage(image)
      .remove({ force: true })
      .catch(() => {});
  await registry.close();
  await rm(directory, { recursive: true });
});

const nameOf = (name: string) => `${registry.host}/${namespace}/${name}`;
const auth = () => ({ username: 'me', password: token, serveraddress: registry.host });

/** An archive as `docker save` makes them, of so many layers of random bytes. */
async function archiveOf(name: string, layers: readonly Buffer[]): Promise<Buffer> {
  const config = Buffer.from(
    JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      config: { Cmd: ['/nothing'] },
      rootfs: { type: 'layers', diff_ids: layers.map(digestOf) },
    }),
  );
  const files = layers.map((_, index) => `${index}.tar`);
  const archive = pack();
  archive.entry({ name: 'config.json' }, config);
  for (const [index, layer] of layers.entries()) archive.entry({ name: files[index]! }, layer);
  archive.entry(
    { name: 'manifest.json' },
    JSON.stringify([{ Config: 'config.json', RepoTags: [name], Layers: files }]),
  );
  archive.finalize();
  return Buffer.concat(await Array.fromAsync(archive as AsyncIterable<Buffer>));
}

async function layerOf(bytes: number): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: randomBytes(6).toString('hex') }, randomBytes(bytes));
  archive.finalize();
  return Buffer.concat(await Array.fromAsync(archive as AsyncIterable<Buffer>));
}

async function follow(stream: NodeJS.ReadableStream): Promise<{ status?: string; error?: string }[]> {
  return await new Promise((resolve, reject) => {
    docker.modem.followProgress(stream, (error, lines) => (error ? reject(error) : resolve(lines)));
  });
}

async function load(name: string, layers: readonly Buffer[]): Promise<void> {
  made.add(name);
  await follow(await docker.loadImage(Readable.from([await archiveOf(name, layers)])));
}

/** How often the token endpoint has answered with a token. */
async function tokensIssued(): Promise<number> {
  const { values } = await registry.service.metrics.requests.get();
  const issued = values.find(
    ({ metricName, labels }) =>
      metricName?.endsWith('_count') && labels.route === '/v2/ token' && Number(labels.status) === 200,
  );
  return issued?.value ?? 0;
}

async function takesTokens(work: () => Promise<unknown>): Promise<void> {
  const before = await tokensIssued();
  await work();
  assert.ok((await tokensIssued()) > before, 'the password is shown to the token endpoint');
}

async function pushWithDocker(name: string): Promise<string[]> {
  const lines = await follow(await docker.getImage(name).push({ authconfig: auth() }));
  const error = lines.find((line) => line.error)?.error;
  if (error) throw new Error(error);
  return lines.flatMap(({ status }) => status ?? []);
}

const manifestOf = (name: string, tag: string) =>
  findPushedManifest(registry.service.db, `${namespace}/${name}`, { tag });

test('an image that Docker has pushed, Docker pulls again, and the second push moves the changed layer alone', async () => {
  const [base, first, second] = [await layerOf(3 * megabyte), await layerOf(megabyte), await layerOf(megabyte)];
  await load(nameOf('api:1'), [base, first]);
  await takesTokens(() => pushWithDocker(nameOf('api:1')));
  const before = await bytesOfAll(registry.service.db);
  await load(nameOf('api:2'), [base, second]);
  const statuses = await pushWithDocker(nameOf('api:2'));
  assert.ok(statuses.includes('Layer already exists') && statuses.includes('Pushed'), statuses.join('\n'));
  const moved = (await bytesOfAll(registry.service.db)) - before;
  assert.ok(moved > megabyte && moved < 1.5 * megabyte, `${moved}`);

  await docker.getImage(nameOf('api:1')).remove();
  await follow(await docker.pull(nameOf('api:1'), { authconfig: auth() }));
  const { RepoDigests, RootFS } = await docker.getImage(nameOf('api:1')).inspect();
  assert.deepEqual(RepoDigests, [`${nameOf('api')}@${(await manifestOf('api', '1'))?.digest}`]);
  assert.deepEqual(RootFS.Layers, [base, first].map(digestOf));
});

test('Docker gets an explanation of a refused push, and does not retry for long', async () => {
  const foreign = `${registry.host}/somebody-else/api:1`;
  await load(foreign, [await layerOf(1_000)]);
  await assert.rejects(pushWithDocker(foreign), (error: Error) => {
    assert.match(error.message, /denied: your images are named localhost:8080/);
    return true;
  });
});

test('skopeo pushes an archive, of layers compressed with zstd too, and finds and copies what is there', async () => {
  const file = join(directory, 'image.tar');
  await writeFile(file, await archiveOf('any:1', [await layerOf(2 * megabyte), await layerOf(1_000)]));
  const to = ['--dest-tls-verify=false', '--dest-creds', `me:${token}`];
  const skopeo = (...words: string[]) => run('skopeo', ['--insecure-policy', ...words]);
  await takesTokens(() => skopeo('copy', ...to, `docker-archive:${file}`, `docker://${nameOf('tool:gzip')}`));
  await skopeo(
    ...['copy', ...to, '--format', 'oci', '--dest-compress-format', 'zstd', `docker-archive:${file}`],
    `docker://${nameOf('zstd:1')}`,
  );
  const from = ['--src-tls-verify=false', '--src-creds', `me:${token}`];
  await skopeo('copy', ...from, ...to, `docker://${nameOf('tool:gzip')}`, `docker://${nameOf('copy:1')}`);
  const gzip = await manifestOf('tool', 'gzip');
  assert.equal((await manifestOf('copy', '1'))?.digest, gzip?.digest);
  const inspected = await skopeo(
    'inspect',
    '--tls-verify=false',
    '--creds',
    `me:${token}`,
    `docker://${nameOf('zstd:1')}`,
  );
  assert.equal(JSON.parse(inspected.stdout).Layers.length, 2);
});

/** Where Debian's Docker has its containerd. */
const containerd = ['/run/containerd/containerd.sock', '/var/run/docker/containerd/containerd.sock'].find(existsSync);

test('containerd pushes: the whole blob in one PUT', {
  skip: !containerd && 'the socket of containerd is missing',
}, async () => {
  const file = join(directory, 'containerd.tar');
  const name = nameOf('containerd:1');
  await writeFile(file, await archiveOf(name, [await layerOf(megabyte)]));
  const ctr = (...words: string[]) =>
    run('ctr', ['--address', containerd!, '--namespace', 'berth-test-push', ...words]);
  try {
    await ctr('images', 'import', '--no-unpack', file);
    await takesTokens(() => ctr('images', 'push', '--plain-http', '--user', `me:${token}`, name));
    assert.ok(await manifestOf('containerd', '1'));
  } finally {
    await ctr('images', 'rm', '--sync', name).catch(() => {});
    await ctr('namespaces', 'rm', 'berth-test-push').catch(() => {});
  }
});
