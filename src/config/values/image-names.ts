/** PURE. The parts of an image's name: `[registry/]repository[:tag][@digest]`. A tag may move; a digest is always the same image. */

const dockerHub = 'docker.io';
const dockerHubAliases = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io', 'hub.docker.com']);

/**
 * Letters, digits and separators, without an empty part and without `..`. IDs are not allowed: in Docker, `sha256:e0f9`
 * matches any image of the host whose ID begins like this, so a user could guess another user's image.
 */
const reference = /^(?!sha256:)(?!.*(\.\.|\/\/))[A-Za-z0-9][A-Za-z0-9._/:@-]*[A-Za-z0-9]$/;

/**
 * Returns whether the text can be an image name. Docker checks the details. Characters that are refused here would
 * change the path of a request that contains the name.
 */
export function isReference(image: string): boolean {
  return image.length <= 512 && reference.test(image);
}

/** A colon after the last slash begins the tag. A colon before it begins a port. */
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

/** Returns the host in lower case. Docker Hub has several names. */
export function canonicalRegistry(host: string): string {
  const lower = host.toLowerCase();
  return dockerHubAliases.has(lower) ? dockerHub : lower;
}

/** Returns whether the image is on Docker Hub, under any of its host names or without a host. */
export function isOfDockerHub(image: string): boolean {
  return registryOf(image) === dockerHub;
}

/**
 * Returns registry and repository in full, such as `docker.io/library/nginx`. Registries control access per repository.
 */
export function repositoryOf(image: string): string {
  const { name } = splitImage(image);
  const registry = registryOf(image);
  const path = hasRegistry(name) ? name.slice(name.indexOf('/') + 1) : name;
  return `${registry}/${registry === dockerHub && !path.includes('/') ? 'library/' : ''}${path}`;
}

/** The location of an image in a registry: the path of its repository, and its tag or digest. */
export type ImageLocation = { registry: string; repository: string; reference: string };

/** A digest takes precedence over a tag. The default is `latest`. */
export function locateImage(image: string): ImageLocation {
  const { tag, digest } = splitImage(image);
  const registry = registryOf(image);
  return { registry, repository: repositoryOf(image).slice(registry.length + 1), reference: digest ?? tag ?? 'latest' };
}

/**
 * Returns the same text for all spellings of a reference: `docker.io/library/nginx:1`, or with the digest if it has
 * one.
 */
export function fullReference(image: string): string {
  const { registry, repository, reference } = locateImage(image);
  return `${registry}/${repository}${isPinned(image) ? '@' : ':'}${reference}`;
}

/** The last part of the repository, without registry, organisation, tag and digest: `postgres`. */
export function shortNameOf(image: string): string {
  return splitImage(image).name.split('/').at(-1)!.toLowerCase();
}

/** Returns the written tag. A reference with a digest may have one, too. */
export function tagOf(image: string): string | undefined {
  return splitImage(image).tag || undefined;
}

/** Returns whether the reference always names the same image. */
export function isPinned(image: string): boolean {
  return image.includes('@');
}

/** The reference of the image with that digest, in the same repository. */
export function pin(image: string, digest: string): string {
  return `${splitImage(image).name}@${digest}`;
}

/** Image references of documents, by the grammar of the distribution project (its `reference` package). Pure. */

export type ImageReference =
  | { kind: 'complete'; usesRegistry: boolean; tag?: string; lowerCase: string }
  | { kind: 'untagged'; lowerCase: string }
  | { kind: 'placeholder' }
  | { kind: 'invalid'; because: string; instead?: string };

const registryScriptlet = /^<%\s{0,9}REGISTRY\s{0,9}%>\//;
const host = '(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\\[[0-9a-f:]+\\])(?::\\d{1,5})?';
const component = '[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*';
const grammar = new RegExp(`^(?:${host}/)?${component}(?:/${component})*$`);
const pushedGrammar = new RegExp(`^${component}(?:/${component})*$`);
const tagGrammar = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const digestGrammar = /^sha256:[0-9a-f]{64}$/;

/** Names that announce that the image will be filled in later. */
const placeholderName =
  /^(?:todo|tbd|fixme|change[-_]?me|replace[-_]?me|replace[-_]?with[-_].*|placeholder|image|your[-_]image|image[-_]?name|image[-_]url|none|null|undefined|x{3,}|\.{3,}|…)(?::[\w.-]+)?$/i;
const maxLength = 512;

/** Sorts a reference as written in a document; `<% REGISTRY %>/…` counts as a registry host. */
export function parseImageReference(image: string): ImageReference {
  if (image.length > maxLength) return { kind: 'invalid', because: 'it is too long' };
  // An unquoted `# filled by pipeline` is a YAML comment, so the value is missing. A quoted one is handled here.
  if (/^$|^[#[]|<[^%]|\$\{|\{\{|^\$[A-Z(]/.test(image) || placeholderName.test(image)) return { kind: 'placeholder' };
  const instead = imageOfAddress(image);
  if (instead) return { kind: 'invalid', because: 'it is an address, not an image', instead };

  if (image.startsWith('./')) return parsePushed(image);

  const usesRegistry = registryScriptlet.test(image);
  const prefix = registryScriptlet.exec(image)?.[0] ?? '';
  const { name, tag, digest } = splitImage(image.slice(prefix.length));
  if (!grammar.test(name.toLowerCase()) || (tag !== undefined && !tagGrammar.test(tag))) {
    return { kind: 'invalid', because: reasonFor(image) };
  }
  if (digest !== undefined && !digestGrammar.test(digest)) {
    return { kind: 'invalid', because: 'a digest is sha256: and 64 hexadecimal digits' };
  }
  const written = `${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
  const lowerCase = `${prefix}${name.toLowerCase()}${written}`;
  if (written === '') return { kind: 'untagged', lowerCase };
  return { kind: 'complete', usesRegistry, ...(tag !== undefined && { tag }), lowerCase };
}

/** Parses an image that its owner has pushed to the service: `./api:1`. */
function parsePushed(image: string): ImageReference {
  const { name, tag = 'latest', digest } = splitImage(image);
  const isName = pushedGrammar.test(name.toLowerCase().slice(2)) && tagGrammar.test(tag);
  if (!isName || (digest !== undefined && !digestGrammar.test(digest)))
    return { kind: 'invalid', because: 'behind ./ stands the name and the tag of an image that was pushed' };
  const lowerCase = name.toLowerCase() + image.slice(name.length);
  return { kind: 'complete', usesRegistry: false, tag, lowerCase };
}

/** `https://ghcr.io/a/b:1` and pages of Docker Hub name an image all the same. */
function imageOfAddress(image: string): string | undefined {
  const hub = /^(?:https?:\/\/)?hub\.docker\.com\/(?:_\/|r\/)([a-z0-9._/-]+?)(?:\/tags.*)?\/?$/i.exec(image);
  if (hub) return hub[1];
  const [, rest] = /^(?:https?|docker|oci):\/\/(.+)$/i.exec(image) ?? [];
  const pulled = /^docker pull (\S+)$/.exec(image)?.[1];
  return rest ?? pulled;
}

function reasonFor(image: string): string {
  if (/^\.{0,2}\/|^\.+$|^~/.test(image)) return 'it is a path, and an image must include a tag';
  if (/\s/.test(image)) return 'it holds a space';
  if (image.endsWith(':')) return 'the tag behind the colon is missing';
  if (/^\/|\/\/|\/$/.test(image)) return 'a part between two slashes is empty';
  return 'it contains characters that are not valid in an image reference';
}
