/** What of an image decides how a container of it is made. */
import type Docker from 'dockerode';
import { isReference, repositoryOf } from '../../../config/values/image-names.ts';
import { EngineFault } from '../../engine.ts';
import { orAbsent } from '../faults.ts';
import type { HostFacts } from '../host/host-facts.ts';
import { architectureHint } from './pull-faults.ts';

export type ImageFacts = {
  architecture: string;
  /** Paths that the image declares as VOLUME. */
  volumes: string[];
  /** The keys of its labels, which its containers would get. */
  labels: string[];
  hasHealthCheck: boolean;
  /** By which digests the registry of its repository knows it; none for an image that was built or loaded here. */
  pinned: string[];
};

/** Facts of a local image; undefined when it is not on the host. A name that is none is nowhere. */
export async function readImage(docker: Docker, image: string): Promise<ImageFacts | undefined> {
  if (!isReference(image)) return undefined;
  const found = await orAbsent(docker.getImage(image).inspect(), 400);
  if (!found) return undefined;
  const test = found.Config?.Healthcheck?.Test ?? [];
  return {
    architecture: found.Architecture,
    volumes: Object.keys(found.Config?.Volumes ?? {}),
    labels: Object.keys(found.Config?.Labels ?? {}),
    pinned: pinnedReferences(image, found),
    hasHealthCheck: test.length > 0 && test[0] !== 'NONE',
  };
}

/** The set-up's images carry names that a registry has too; where the engine gives every image a digest, a label tells. */
function pinnedReferences(image: string, { RepoDigests, Config }: Docker.ImageInspectInfo): string[] {
  if (Config?.Labels?.['berth.built']) return [];
  return (RepoDigests ?? []).filter((reference) => repositoryOf(reference) === repositoryOf(image));
}

/** The official images have at most a dozen. Each label of an image is written into every container of it. */
const mostLabels = 1_000;

/** The engine makes a volume for each that an image declares, whoever asks it not to. Official images declare 1 or 2. */
const mostVolumes = 32;

export function checkVolumes(image: string, { volumes }: ImageFacts): void {
  if (volumes.length <= mostVolumes) return;
  const words = `Image ${image} declares ${volumes.length} volumes; at most ${mostVolumes} are allowed.`;
  throw new EngineFault('bad-request', words, { image, hint: 'build it with fewer VOLUME lines' });
}

/** Throws when the image has more labels than can be overridden one by one. */
export function checkLabels(image: string, { labels }: ImageFacts): void {
  if (labels.length <= mostLabels) return;
  const words = `Image ${image} has ${labels.length} labels; at most ${mostLabels} are allowed.`;
  throw new EngineFault('bad-request', words, { image, hint: 'build it with fewer LABEL lines' });
}

/** Throws when the image was built for another processor: its containers would end with `exec format error`. */
export function checkArchitecture(image: string, facts: ImageFacts, host: HostFacts): void {
  // An imported image may not say what it was built for.
  if (facts.architecture === '' || facts.architecture === host.architecture) return;
  throw new EngineFault(
    'image-wrong-architecture',
    `Image ${image} was built for ${facts.architecture}; this host needs ${host.architecture}.`,
    { image, hint: architectureHint },
  );
}
