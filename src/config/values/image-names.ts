/** PURE. The parts of an image's name: `[registry/]repository[:tag][@digest]`. A tag may move; a digest is always the same image. */

const dockerHub = 'docker.io';
const dockerHubAliases = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io', 'hub.docker.com']);

/**
 * Letters, digits and separators, without an empty part and without `..`. An id is not allowed: for Docker,
 * `sha256:e0f9` is any image of the host whose id begins like this, so a user could guess another user's image.
 */
const reference = /^(?!sha256:)(?!.*(\.\.|\/\/))[A-Za-z0-9][A-Za-z0-9._/:@-]*[A-Za-z0-9]$/;

/**
 * Whether it can be the name of an image. Docker judges the details; what is kept out here would change the path of
 * the request that the name becomes a part of.
 */
export function isReference(image: string): boolean {
  return image.length <= 512 && reference.test(image);
}

/** A colon behind the last slash begins the tag; one before it, a port. */
export function splitImage(image: string): { name: string; tag?: string; digest?: string } {
  const at = image.indexOf('@');
  const digest = at === -1 ? undefined : image.slice(at + 1);
  const rest = at === -1 ? image : image.slice(0, at);
  const colon = rest.indexOf(':', rest.lastIndexOf('/') + 1);
  const name = colon === -1 ? rest : rest.slice(0, colon);
  return {
    name,
    ...(colon !== -1 && { tag: rest.slice(colon + 1) }),
    ...(digest !== undefined && { digest }),
  };
}

/** The registry's host, with its port where it has one. As Docker reads it: a first part with a dot, a colon or `localhost`. */
export function registryOf(image: string): string {
  return hasRegistry(image) ? canonicalRegistry(image.split('/')[0]!) : dockerHub;
}

function hasRegistry(image: string): boolean {
  const [first, ...rest] = image.split('/');
  return rest.length > 0 && /[.:]|^localhost$/.test(first!);
}

/** In lower case; Docker Hub has several names. */
export function canonicalRegistry(host: string): string {
  const lower = host.toLowerCase();
  return dockerHubAliases.has(lower) ? dockerHub : lower;
}

/** Whether it is of Docker Hub, by any of its names or by none. */
export function isOfDockerHub(image: string): boolean {
  return registryOf(image) === dockerHub;
}

/** Registry and repository in full, e.g. `docker.io/library/nginx`: what a registry gives or refuses access to. */
export function repositoryOf(image: string): string {
  const { name } = splitImage(image);
  const registry = registryOf(image);
  const path = hasRegistry(name) ? name.slice(name.indexOf('/') + 1) : name;
  return `${registry}/${registry === dockerHub && !path.includes('/') ? 'library/' : ''}${path}`;
}

/** Where a registry has an image: the path of its repository there, and what stands for the image in it. */
export type ImageLocation = { registry: string; repository: string; reference: string };

/** A digest goes before a tag; without either it is `latest`. */
export function locateImage(image: string): ImageLocation {
  const { tag, digest } = splitImage(image);
  const registry = registryOf(image);
  return { registry, repository: repositoryOf(image).slice(registry.length + 1), reference: digest ?? tag ?? 'latest' };
}

/** The same for all spellings of a reference: `docker.io/library/nginx:1`, or with the digest where it has one. */
export function fullReference(image: string): string {
  const { registry, repository, reference } = locateImage(image);
  return `${registry}/${repository}${isPinned(image) ? '@' : ':'}${reference}`;
}

/** The last part of the repository, without registry, organisation, tag and digest: `postgres`. */
export function shortNameOf(image: string): string {
  return splitImage(image).name.split('/').at(-1)!.toLowerCase();
}

/** The tag that is written; a reference with a digest may have one too. */
export function tagOf(image: string): string | undefined {
  return splitImage(image).tag || undefined;
}

/** Whether it names one image for ever. */
export function isPinned(image: string): boolean {
  return image.includes('@');
}

/** The reference of the image with that digest, in the same repository. */
export function pin(image: string, digest: string): string {
  return `${splitImage(image).name}@${digest}`;
}
