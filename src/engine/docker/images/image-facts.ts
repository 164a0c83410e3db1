/** Facts about an image that decide how its containers are created. */

import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { isPinned, isReference } from '../../../config/values/image-names.ts';
import { architectureHint } from '../../../images/image-fault.ts';
import { EngineFault, type ExportedImage } from '../../engine.ts';
import { isLocalImage, type LocalImages } from '../../images/local-images.ts';
import { pinnedAmong, verifiedName } from '../../images/verified-names.ts';
import { orAbsent } from '../faults.ts';

export type ImageFacts = {
  /** The name that the engine uses for the image. */
  name: string;
  architecture: string;
  /** Paths that the image declares as VOLUME. */
  volumes: string[];
  /** The keys of the image's labels, which its containers would get. */
  labels: string[];
  hasHealthCheck: boolean;
  /** The registry's digest for the image in the same repository. Undefined for a local image. */
  pinned: string | undefined;
};

/**
 * Returns the facts of a usable local image: one of the host's shared images, or one that passed the gate. Other images
 * on the host are treated as missing.
 */
export async function readImage(docker: Docker, image: string, local: LocalImages): Promise<ImageFacts | undefined> {
  if (!isReference(image)) return undefined;
  const kept = () => inspectImage(docker, verifiedName(image));
  const own = async () => {
    const found = await inspectImage(docker, image);
    return found && isLocalImage(image, found.Config?.Labels, local) ? found : undefined;
  };
  // One request is enough for most images.
  const brought = isPinned(image) ? await kept() : undefined;
  const isOwn = brought ? undefined : await own();
  const found = brought ?? isOwn ?? (await kept());
  const pinned = isOwn || !found ? undefined : pinnedAmong(found.RepoTags ?? [], image);
  // An interrupted pull may have set only one of two names. The next pull sets both.
  if (!found || (!isOwn && pinned === undefined)) return undefined;
  const test = found.Config?.Healthcheck?.Test ?? [];
  return {
    name: isOwn ? image : verifiedName(image)!,
    architecture: found.Architecture,
    volumes: Object.keys(found.Config?.Volumes ?? {}),
    labels: Object.keys(found.Config?.Labels ?? {}),
    pinned,
    hasHealthCheck: test.length > 0 && test[0] !== 'NONE',
  };
}

async function inspectImage(docker: Docker, name: string | undefined): Promise<Docker.ImageInspectInfo | undefined> {
  return name === undefined ? undefined : await orAbsent(docker.getImage(name).inspect(), 400);
}

/** The official images have at most a dozen. Each label of an image is written into every container of it. */
const maxLabels = 1_000;

/**
 * The engine creates a volume for each one that an image declares, and this cannot be disabled. Official images declare
 * 1 or 2.
 */
const maxVolumes = 32;

export function checkVolumes(image: string, { volumes }: ImageFacts): void {
  if (volumes.length <= maxVolumes) return;
  const words = `Image ${image} declares ${volumes.length} volumes; at most ${maxVolumes} are allowed.`;
  throw new EngineFault('bad-request', words, { image, hint: 'build it with fewer VOLUME lines' });
}

/** Throws if the image has more labels than can be overridden individually. */
export function checkLabels(image: string, { labels }: ImageFacts): void {
  if (labels.length <= maxLabels) return;
  const words = `Image ${image} has ${labels.length} labels; at most ${maxLabels} are allowed.`;
  throw new EngineFault('bad-request', words, { image, hint: 'build it with fewer LABEL lines' });
}

/** Throws if the image was built for another architecture. Its containers would end with `exec format error`. */
export function checkArchitecture(image: string, facts: ImageFacts, architecture: string): void {
  // An imported image may lack the architecture.
  if (facts.architecture === '' || facts.architecture === architecture) return;
  throw new EngineFault(
    'image-wrong-architecture',
    `Image ${image} was built for ${facts.architecture}; this host needs ${architecture}.`,
    { image, hint: architectureHint },
  );
}

/**
 * Exports an image of the host as a tar archive, for builds that use it as their base. Returns undefined if the host has
 * no image of this reference that tenants may run.
 */
export async function exportImage(
  docker: Docker,
  image: string,
  local: LocalImages,
): Promise<ExportedImage | undefined> {
  const facts = await readImage(docker, image, local);
  if (!facts) return undefined;
  const { Id: id } = await docker.getImage(facts.name).inspect();
  return { id, open: async () => (await docker.getImage(id).get()) as Readable };
}
