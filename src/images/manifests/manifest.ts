/**
 * PURE. Reads manifests and indexes of images (OCI image specification 1.1, Docker's schema 2), for pulls and pushes.
 * Faults are values, which each caller puts into its own words.
 */
import { parseBoundedJson } from '../../lib/bounded-json.ts';
import { type Digest, isDigest } from '../../lib/digest.ts';

export type Descriptor = { mediaType: string; digest: Digest; sizeBytes: number };

export type Platform = { os: string; architecture: string; variant?: string };

export type IndexEntry = { descriptor: Descriptor; platform: Platform | undefined };

export type Manifest =
  | { kind: 'image'; mediaType: string; config: Descriptor; layers: Descriptor[] }
  | { kind: 'index'; mediaType: string; entries: IndexEntry[] };

/** The subject of a descriptor. */
export type Part = 'configuration' | 'layer' | 'manifest';

/** `found`: the value there, of any type. */
export type ManifestFault =
  | {
      kind: 'no-object' | 'schema-version' | 'media-type' | 'config-type' | 'layer-type' | 'foreign-layer';
      found: unknown;
    }
  | { kind: 'no-list' | 'no-descriptor' | 'no-media-type' | 'digest' | 'size' | 'urls'; part: Part; found: unknown };

const imageTypes = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];
const indexTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

/** The types for the header `Accept`, and the types that a client must accept. */
export const manifestTypes: readonly string[] = [...imageTypes, ...indexTypes];

export function isImageType(mediaType: string): boolean {
  return imageTypes.includes(mediaType);
}

const configTypes = ['application/vnd.oci.image.config.v1+json', 'application/vnd.docker.container.image.v1+json'];

const layerType =
  /^application\/(?:vnd\.oci\.image\.layer\.v1\.tar(?:\+(?:gzip|zstd))?|vnd\.docker\.image\.rootfs\.diff\.tar(?:\.gzip)?)$/;
/** Layers that are not in the registry and that clients must download elsewhere. */
const foreignType = /nondistributable|foreign/;
/** Build tools add metadata of a build to the image as a separate manifest. */
const attestationType = 'application/vnd.in-toto+json';

export function isAttestation({ mediaType }: Descriptor): boolean {
  return mediaType === attestationType;
}

/** `declared`: the Content-Type of the response. The type in the manifest takes precedence. */
export function readManifest(content: Uint8Array, declared: string | undefined): Manifest | ManifestFault {
  const document = parseObject(content);
  if (!document) return { kind: 'no-object', found: undefined };
  const { schemaVersion } = document;
  if (schemaVersion !== 2) return { kind: 'schema-version', found: schemaVersion };
  const mediaType = document.mediaType ?? plainType(declared);
  if (typeof mediaType !== 'string' || !manifestTypes.includes(mediaType))
    return { kind: 'media-type', found: mediaType };
  return isImageType(mediaType) ? readImage(document, mediaType) : readIndex(document, mediaType);
}

export function isManifestFault(read: object): read is ManifestFault {
  return 'found' in read;
}

/** Returns the type of a Content-Type header, without its parameters. */
export function plainType(declared: string | undefined): string | undefined {
  return declared?.split(';')[0]?.trim();
}

function readImage(document: Json, mediaType: string): Manifest | ManifestFault {
  const config = readDescriptor(document.config, 'configuration');
  if (isManifestFault(config)) return config;
  if (!configTypes.includes(config.mediaType)) return { kind: 'config-type', found: config.mediaType };
  const layers = readDescriptors(document.layers, 'layer');
  if (isManifestFault(layers)) return layers;
  for (const layer of layers) {
    if (foreignType.test(layer.mediaType)) return { kind: 'foreign-layer', found: layer.mediaType };
    if (!layerType.test(layer.mediaType) && !isAttestation(layer))
      return { kind: 'layer-type', found: layer.mediaType };
  }
  return { kind: 'image', mediaType, config, layers };
}

function readIndex({ manifests }: Json, mediaType: string): Manifest | ManifestFault {
  const descriptors = readDescriptors(manifests, 'manifest');
  if (isManifestFault(descriptors)) return descriptors;
  const entries = descriptors.map((descriptor, index) => ({
    descriptor,
    platform: readPlatform((manifests as Json[])[index]!.platform),
  }));
  return { kind: 'index', mediaType, entries };
}

function readDescriptors(value: unknown, part: Part): Descriptor[] | ManifestFault {
  if (!Array.isArray(value)) return { kind: 'no-list', part, found: value };
  const read: Descriptor[] = [];
  for (const each of value) {
    const descriptor = readDescriptor(each, part);
    if (isManifestFault(descriptor)) return descriptor;
    read.push(descriptor);
  }
  return read;
}

function readDescriptor(value: unknown, part: Part): Descriptor | ManifestFault {
  if (!isObject(value)) return { kind: 'no-descriptor', part, found: value };
  const { mediaType, digest, size, urls } = value;
  if (typeof mediaType !== 'string') return { kind: 'no-media-type', part, found: mediaType };
  if (typeof digest !== 'string' || !isDigest(digest)) return { kind: 'digest', part, found: digest };
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return { kind: 'size', part, found: size };
  // Clients that follow them would request arbitrary addresses.
  if (urls !== undefined && !(Array.isArray(urls) && urls.length === 0)) return { kind: 'urls', part, found: urls };
  return { mediaType, digest, sizeBytes: size };
}

function readPlatform(value: unknown): Platform | undefined {
  if (!isObject(value)) return undefined;
  const { os, architecture, variant } = value;
  if (typeof os !== 'string' || typeof architecture !== 'string') return undefined;
  return { os, architecture, ...(typeof variant === 'string' && { variant }) };
}

type Json = Record<string, unknown>;

/** An index of 100 platforms has some 3,000 values; configurations of images with a long history fewer. */
const bounds = { depth: 32, tokens: 20_000 };

/** Undefined when it is not a JSON object in UTF-8, or has more values than any image needs. */
export function parseObject(content: Uint8Array): Json | undefined {
  try {
    const value = parseBoundedJson(content, bounds);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
