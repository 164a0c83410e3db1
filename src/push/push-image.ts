/** Creates one image of a project, and pushes the parts that the service does not have. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImageToMake } from '../folder/project.ts';
import { digestOf } from '../lib/digest.ts';
import { buildImage } from './docker/build.ts';
import type { Docker } from './docker/docker-command.ts';
import { exportImage } from './docker/exported-image.ts';
import type { HashedFile } from './hashed-file.ts';
import { manifestOf, manifestType, withLayers } from './image-documents.ts';
import type { BuildContext } from './layers/build-context.ts';
import { listLayer } from './layers/folder-layer.ts';
import { type Preparing, prepareExported, prepareLayers } from './prepare-layers.ts';
import type { PushCache } from './push-cache.ts';
import { PushFault } from './push-fault.ts';
import type { RegistryClient } from './registry/push-client.ts';

export type Pushing = {
  docker: Docker;
  registry: RegistryClient;
  cache: PushCache;
  /** The first part of the names of all images that are pushed with this token. */
  namespace: string;
  /** The server's platform: `linux/amd64`. */
  platform: string;
  report(step: PushStep): void;
};

export type PushStep =
  | { kind: 'build'; image: string }
  | { kind: 'context'; image: string; context: BuildContext }
  | { kind: 'build-line'; image: string; line: string }
  | { kind: 'pull'; image: string; base: string }
  | { kind: 'prepare'; image: string }
  /** The bytes of the layers that the service does not have. */
  | { kind: 'bytes'; image: string; sentBytes: number; ofBytes: number };

export type PushedImage = {
  /** The name in the document. */
  name: string;
  /** The digest of the image's manifest. */
  digest: string;
  sentBytes: number;
  sentLayers: number;
  layers: number;
};

/** Throws a fault with the reason if the image cannot be created or pushed. */
export async function pushImage(pushing: Pushing, image: ImageToMake): Promise<PushedImage> {
  const { docker, registry, cache, namespace, report } = pushing;
  const [name, tag = 'latest'] = image.name.replace(/^\.\//, '').split(':');
  const repository = `${namespace}/${name}`;
  const base = await baseOf(pushing, image);
  await forgetLastBuild(pushing, image, base.id);
  const listed = await Promise.all(image.layers.map(listLayer));
  const key = digestOf(Buffer.from(JSON.stringify([base.id, image.layers.map(({ to }) => to), listed])));
  const known = cache.images.get(key);
  if (known !== undefined && (await registry.digestOf(repository, tag)) === known)
    return { name: image.name, digest: known, sentBytes: 0, sentLayers: 0, layers: base.layers + image.layers.length };
  report({ kind: 'prepare', image: image.name });
  const scratch = await mkdtemp(join(tmpdir(), 'berth-push-'));
  try {
    const exported = await exportImage(docker, base.id, scratch);
    const preparing: Preparing = { registry, repository, cache, scratch };
    const lower = await prepareExported(preparing, exported);
    const upper = await prepareLayers(preparing, { exported, layers: image.layers, listed });
    const config = withLayers(exported.config, upper.added);
    const layers = [...lower, ...upper.prepared];
    const manifest = manifestOf(
      config,
      layers.map(({ descriptor }) => descriptor),
    );
    const missing = layers.flatMap(({ blob }) => blob ?? []);
    const { length: sentLayers } = missing;
    const described = await fileOf(config, scratch);
    if (!(await registry.hasBlob(repository, described.digest))) missing.push(described);
    const sentBytes = await sendAll(pushing, { image, repository, blobs: missing });
    await registry.sendManifest(repository, tag, { content: manifest, mediaType: manifestType });
    const digest = digestOf(manifest);
    cache.images.delete(key);
    cache.images.set(key, digest);
    return { name: image.name, digest, sentBytes, sentLayers, layers: layers.length };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The image of the previous build is not needed: the service has its layers, or the current image has. */
async function forgetLastBuild({ docker, cache }: Pushing, { name, base }: ImageToMake, id: string): Promise<void> {
  if (base.kind !== 'build') return;
  const last = cache.builds.get(name);
  cache.builds.set(name, id);
  if (last !== undefined && last !== id && ![...cache.builds.values()].includes(last))
    await removeLeftover(docker, last);
}

async function baseOf(
  { docker, platform, report }: Pushing,
  { name, base }: ImageToMake,
): Promise<{ id: string; layers: number }> {
  if (base.kind === 'build') {
    report({ kind: 'build', image: name });
    const id = await buildImage(docker, base.build, {
      platform,
      onContext: (context) => report({ kind: 'context', image: name, context }),
      onLine: (line) => report({ kind: 'build-line', image: name, line }),
    });
    const built = await inspectImage(docker, id);
    if (built?.platform === platform) return built;
    throw new PushFault(`The image ${name} is for ${built?.platform}, and the server is ${platform}.`, {
      hint: 'Build with BuildKit (docker buildx), which builds for other platforms too.',
    });
  }
  const here = await inspectImage(docker, base.image);
  if (here?.platform === platform) return here;
  report({ kind: 'pull', image: name, base: base.image });
  await docker.runQuietly([
    'pull',
    '--quiet',
    ...(platform === docker.platform ? [] : ['--platform', platform]),
    '--',
    base.image,
  ]);
  const pulled = await inspectImage(docker, base.image);
  if (pulled?.platform === platform) return pulled;
  throw new PushFault(`The image ${base.image} is there for ${pulled?.platform} only, and the server is ${platform}.`);
}

/** Undefined for one that is not here. */
async function inspectImage(docker: Docker, image: string) {
  const { status, stdout } = await docker.run(['image', 'inspect', '--format', '{{json .}}', '--', image]);
  if (status !== 0) return undefined;
  const { Id, Os, Architecture, RootFS } = JSON.parse(stdout) as {
    Id: string;
    Os: string;
    Architecture: string;
    RootFS: { Layers?: string[] };
  };
  return { id: Id, platform: `${Os}/${Architecture}`, layers: RootFS.Layers?.length ?? 0 };
}

async function fileOf(content: Buffer, scratch: string): Promise<HashedFile> {
  const file = join(scratch, 'config.json');
  await writeFile(file, content, { mode: 0o600 });
  return { file, digest: digestOf(content), sizeBytes: content.length };
}

type Sending = { image: ImageToMake; repository: string; blobs: readonly HashedFile[] };

/** `blobs`: what the service does not have. @returns how many bytes were sent. */
async function sendAll({ registry, report }: Pushing, { image, repository, blobs }: Sending): Promise<number> {
  // The same layer may be in an image twice.
  const distinct = [...new Map(blobs.map((blob) => [blob.digest, blob])).values()];
  const ofBytes = distinct.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let sentBytes = 0;
  for (const blob of distinct) {
    report({ kind: 'bytes', image: image.name, sentBytes, ofBytes });
    await registry.sendBlob(repository, blob, (bytes) => {
      sentBytes += bytes;
      report({ kind: 'bytes', image: image.name, sentBytes, ofBytes });
    });
  }
  return sentBytes;
}

/** Removes the previous image of a build from the user's Docker if it no longer has a name. */

/**
 * Removes an earlier build by its id. An image that was tagged, came from a registry or is used by a container stays.
 * Nothing is forced or reported.
 */
export async function removeLeftover(docker: Pick<Docker, 'run'>, id: string): Promise<void> {
  const format = '{{json .RepoTags}} {{json .RepoDigests}}';
  const { status, stdout } = await docker.run(['image', 'inspect', '--format', format, '--', id]);
  const isNamed = !/^(?:\[\]|null) (?:\[\]|null)$/.test(stdout.trim());
  if (status === 0 && !isNamed) await docker.run(['image', 'rm', '--', id]);
}
