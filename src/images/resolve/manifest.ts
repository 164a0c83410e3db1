/** PURE. Manifests, indexes and configurations of images (OCI image specification 1.1, Docker's schema 2), judged. */

export type Descriptor = { mediaType: string; digest: string; sizeBytes: number };

export type Platform = { os: string; architecture: string; variant?: string };

/** What a document turned out to be; `refused` says why nobody can run it, behind "Image x …". */
export type ReadManifest =
  | { kind: 'image'; config: Descriptor; layers: Descriptor[] }
  | { kind: 'index'; entries: { descriptor: Descriptor; platform: Platform | undefined }[] }
  | { kind: 'refused'; because: string };

export const manifestTypes = {
  image: ['application/vnd.oci.image.manifest.v1+json', 'application/vnd.docker.distribution.manifest.v2+json'],
  index: ['application/vnd.oci.image.index.v1+json', 'application/vnd.docker.distribution.manifest.list.v2+json'],
} as const;

/** For the header `Accept`. */
export const acceptedManifests = [...manifestTypes.image, ...manifestTypes.index].join(', ');

const configTypes = [
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
] as const;

const layerTypes = [
  'application/vnd.oci.image.layer.v1.tar',
  'application/vnd.oci.image.layer.v1.tar+gzip',
  'application/vnd.oci.image.layer.v1.tar+zstd',
  'application/vnd.docker.image.rootfs.diff.tar',
  'application/vnd.docker.image.rootfs.diff.tar.gzip',
] as const;

const isForeign = /foreign|nondistributable/;

export const digestGrammar = /^sha256:[0-9a-f]{64}$/;

/** `mediaType`: what its registry called it; what it says of itself goes before that. */
export function readManifest(text: string, mediaType: string | undefined): ReadManifest {
  const document = parseObject(text);
  if (!document) return refuse('is described by something that is no manifest');
  const type = typeof document.mediaType === 'string' ? document.mediaType : mediaType?.split(';')[0]?.trim();
  if (document.schemaVersion === 1) return refuse('is in a format of before 2016; push it anew');
  if (includes(manifestTypes.index, type)) return readIndex(document);
  if (includes(manifestTypes.image, type)) return readImage(document);
  return refuse(`is of a kind that is no image of containers: ${shown(type)}`);
}

function readImage({ config, layers }: Record<string, unknown>): ReadManifest {
  const described = readDescriptor(config);
  if (typeof described === 'string') return refuse(described);
  if (!includes(configTypes, described.mediaType))
    return refuse(`is of a kind that is no image of containers: ${shown(described.mediaType)}`);
  if (!Array.isArray(layers)) return refuse('is described by something that is no manifest');
  const read: Descriptor[] = [];
  for (const each of layers) {
    const layer = readDescriptor(each);
    if (typeof layer === 'string') return refuse(layer);
    if (isForeign.test(layer.mediaType)) return refuse('has layers that its registry does not have (foreign layers)');
    if (!includes(layerTypes, layer.mediaType))
      return refuse(`has a layer of an unknown kind: ${shown(layer.mediaType)}`);
    read.push(layer);
  }
  return { kind: 'image', config: described, layers: read };
}

function readIndex({ manifests }: Record<string, unknown>): ReadManifest {
  if (!Array.isArray(manifests)) return refuse('is described by something that is no manifest');
  const entries: Extract<ReadManifest, { kind: 'index' }>['entries'] = [];
  for (const each of manifests) {
    const descriptor = readDescriptor(each);
    if (typeof descriptor === 'string') return refuse(descriptor);
    entries.push({ descriptor, platform: readPlatform((each as { platform?: unknown }).platform) });
  }
  return { kind: 'index', entries };
}

/** In words, why it is none that could be used. */
function readDescriptor(value: unknown): Descriptor | string {
  const wrong = 'is described by something that is no manifest';
  if (!isObject(value)) return wrong;
  const { mediaType, digest, size, urls } = value;
  if (Array.isArray(urls) && urls.length > 0) return 'has parts that lie elsewhere than in its registry (urls)';
  if (typeof mediaType !== 'string' || typeof digest !== 'string' || typeof size !== 'number') return wrong;
  if (!digestGrammar.test(digest)) return `has a digest that is not sha256: ${shown(digest)}`;
  if (!Number.isSafeInteger(size) || size < 0) return wrong;
  return { mediaType, digest, sizeBytes: size };
}

function readPlatform(value: unknown): Platform | undefined {
  if (!isObject(value)) return undefined;
  const { os, architecture, variant } = value;
  if (typeof os !== 'string' || typeof architecture !== 'string') return undefined;
  return { os, architecture, ...(typeof variant === 'string' && { variant }) };
}

/** What an image's configuration says that matters before it is here. */
export type ImageConfig = {
  platform: Platform;
  layers: number;
  volumes: number;
  labels: number;
  environmentBytes: number;
};

/** Undefined when it is none. */
export function readConfig(text: string): ImageConfig | undefined {
  const document = parseObject(text);
  const { os, architecture, rootfs, config } = document ?? {};
  if (typeof architecture !== 'string' || !isObject(rootfs) || !Array.isArray(rootfs.diff_ids)) return undefined;
  const { Volumes, Labels, Env } = isObject(config) ? config : {};
  const environment = Array.isArray(Env) ? Env : [];
  return {
    platform: { os: typeof os === 'string' ? os : 'linux', architecture },
    layers: rootfs.diff_ids.length,
    volumes: isObject(Volumes) ? Object.keys(Volumes).length : 0,
    labels: isObject(Labels) ? Object.keys(Labels).length : 0,
    environmentBytes: Buffer.byteLength(environment.join('\0')),
  };
}

/** The entry for this platform; of several variants the one without, or the newest. Attestations have no platform. */
export function choosePlatform<Entry extends { platform: Platform | undefined }>(
  entries: readonly Entry[],
  { os, architecture }: Platform,
): Entry | undefined {
  const fitting = entries.filter(({ platform }) => platform?.os === os && platform.architecture === architecture);
  const plain = fitting.find(({ platform }) => platform?.variant === undefined);
  return plain ?? fitting.toSorted((a, b) => (a.platform!.variant! < b.platform!.variant! ? 1 : -1))[0];
}

/** For people: `linux/arm64 and windows/amd64`. */
export function printPlatforms(entries: readonly { platform: Platform | undefined }[]): string {
  const known = entries.flatMap(({ platform }) =>
    platform && platform.os !== 'unknown' ? [printPlatform(platform)] : [],
  );
  const names = [...new Set(known)].slice(0, 8);
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? 'nothing that runs');
}

/** Names of a stranger's: letters, digits and separators at most. */
export function printPlatform({ os, architecture }: Platform): string {
  return shown(`${os}/${architecture}`);
}

function refuse(because: string): ReadManifest {
  return { kind: 'refused', because };
}

function shown(text: unknown): string {
  const name = typeof text === 'string' ? text.replaceAll(/[^\w.+/:-]/g, '?') : 'nothing';
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}

function includes(known: readonly string[], type: string | undefined): boolean {
  return type !== undefined && known.includes(type);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
