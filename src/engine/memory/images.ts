/** The in-memory engine's images, and the registries behind them. */
import { hash } from 'node:crypto';
import { loginFor, type RegistryLogin } from '../../config/spec/spec.ts';
import { isPinned, pin, repositoryOf } from '../../config/values/image-names.ts';
import type { ImageRequest, ResolvedImage } from '../../deployment/plan/operation.ts';
import { EngineFault, type FoundImage, type HostImage } from '../engine.ts';
import type { MemoryImage, MemoryWorld } from './world.ts';

/** The image that a reference means, by tag or pinned. */
export function imageOf(world: MemoryWorld, reference: string): MemoryImage | undefined {
  if (world.hasEveryImage) return { digest: /@(.*)$/.exec(reference)?.[1] ?? `sha256:${hash('sha256', reference)}` };
  if (!isPinned(reference)) return world.images.get(reference);
  return [...world.images].find(
    ([name, image]) =>
      repositoryOf(name) === repositoryOf(reference) && digestsOf(image).some((each) => reference.endsWith(`@${each}`)),
  )?.[1];
}

export function isOnHost(world: MemoryWorld, reference: string): boolean {
  const image = imageOf(world, reference);
  if (!image || image.isOnHost === false) return false;
  const here = [hostDigest(image), ...(image.formerDigests ?? [])];
  return !isPinned(reference) || here.some((digest) => reference.endsWith(`@${digest}`));
}

export function isLocal(world: MemoryWorld, reference: string): boolean {
  return isOnHost(world, reference) && imageOf(world, reference)?.digest === undefined;
}

export function findImage(world: MemoryWorld, name: string): FoundImage | undefined {
  const image = imageOf(world, name);
  if (!image || !isOnHost(world, name)) return undefined;
  return { reference: pinnedOnHost(name, image), isOperators: world.hasEveryImage || isLocal(world, name) };
}

export function pullImage(
  world: MemoryWorld,
  { image: name, registryLogin }: ImageRequest,
  progress?: (done: number) => void,
): ResolvedImage {
  const isHere = isOnHost(world, name);
  const image = isHere ? imageOf(world, name)! : queryRegistry(world, name, registryLogin);
  if (!isHere) {
    progress?.(0.5);
    image.isOnHost = true;
    if (image.digest !== undefined) image.hostDigest = image.digest;
  }
  progress?.(1);
  return { image: name, reference: pinnedOnHost(name, image), by: isHere ? 'presence' : 'pull' };
}

export function listImages(world: MemoryWorld): HostImage[] {
  return [...world.images.keys()]
    .filter((name) => isOnHost(world, name))
    .map((name) => {
      const image = imageOf(world, name)!;
      const pinned = pinnedOnHost(name, image);
      const isInUse = [...world.containers.values()].some(({ workload }) => imageOf(world, workload.image) === image);
      return {
        id: name,
        tags: [name],
        digests: pinned === name ? [] : [pinned],
        brought: [],
        sizeBytes: 1_000_000_000,
        isInUse,
      };
    });
}

export function removeImage(world: MemoryWorld, { id }: HostImage): boolean {
  const found = listImages(world).find((image) => image.id === id);
  if (found?.isInUse) return false;
  if (found) imageOf(world, id)!.isOnHost = false;
  return true;
}

/** Throws EngineFault as a registry refuses. */
export function queryRegistry(world: MemoryWorld, name: string, anyLogin: RegistryLogin | undefined): MemoryImage {
  const image = imageOf(world, name);
  if (!image) throw new EngineFault('image-not-found', `Image ${name} does not exist.`, { image: name });
  world.registries.check(name);
  if (image.token !== undefined && loginFor(name, anyLogin)?.personalAccessToken !== image.token)
    throw new EngineFault('image-access-denied', `The registry refuses ${name}.`, { image: name });
  return image;
}

/** Returns the reference that identifies the image under this name on the host. */
export function pinnedOnHost(name: string, image: MemoryImage): string {
  const digest = hostDigest(image);
  return digest === undefined || isPinned(name) ? name : pin(name, digest);
}

function hostDigest({ digest, hostDigest: pulled = digest }: MemoryImage): string | undefined {
  return pulled;
}

function digestsOf(image: MemoryImage): string[] {
  const { digest, formerDigests = [] } = image;
  return [digest, hostDigest(image), ...formerDigests].filter((each) => each !== undefined);
}
