/** PURE. Manifests that users push: what is accepted, and what it consists of. */
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { type Digest, isDigest } from '../blobs/digest.ts';

/** The specification asks that registries take manifests up to this size. */
export const maxManifestBytes = 4 * 2 ** 20;

/** Engines give up at some 130 layers; with attestations and platforms an index has a few dozen entries. */
const maxParts = 1_000;

export type ManifestFacts = {
  mediaType: string;
  /** Blobs that it consists of, its configuration among them. */
  blobs: Part[];
  /** Manifests of an index. */
  manifests: Part[];
};

export type Part = { digest: Digest; sizeBytes: number };

const imageTypes = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];
const indexTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

/** What `Accept` of a client has to include for it to be answered with any of them. */
export const manifestTypes: readonly string[] = [...imageTypes, ...indexTypes];

const configTypes = ['application/vnd.oci.image.config.v1+json', 'application/vnd.docker.container.image.v1+json'];

/** Build tools put what they know of a build beside the image, as a manifest of its own. */
const layerType =
  /^application\/(?:vnd\.oci\.image\.layer\.v1\.tar(?:\+(?:gzip|zstd))?|vnd\.docker\.image\.rootfs\.diff\.tar(?:\.gzip)?|vnd\.in-toto\+json)$/;
/** Layers that a registry does not have, and clients are told to get from elsewhere. */
const foreignType = /nondistributable|foreign/;

type Json = Record<string, unknown>;

/** `declared`: the Content-Type that it was sent with. */
export function readManifest(content: Uint8Array, declared: string | undefined): Result<ManifestFacts> {
  if (content.length > maxManifestBytes)
    return invalid(`The manifest is larger than ${maxManifestBytes / 2 ** 20} MiB.`);
  const manifest = parse(content);
  if (!manifest) return invalid('The manifest is not a JSON object.');
  if (manifest.schemaVersion !== 2)
    return invalid('Only manifests of schema version 2 are taken; push with a newer client.');
  const mediaType = manifest.mediaType ?? declared?.split(';')[0]?.trim();
  if (typeof mediaType !== 'string' || !manifestTypes.includes(mediaType))
    return invalid(`Manifests of the media type ${shown(mediaType)} are not taken: push a Docker or OCI image.`);
  if (declared !== undefined && declared.split(';')[0]!.trim() !== mediaType)
    return invalid(`The manifest says that it is ${shown(mediaType)}, and was sent as ${shown(declared)}.`);
  return indexTypes.includes(mediaType) ? readIndex(manifest, mediaType) : readImage(manifest, mediaType);
}

function readImage(manifest: Json, mediaType: string): Result<ManifestFacts> {
  const config = readDescriptor(manifest.config, 'the configuration');
  if (!config.ok) return config;
  if (!configTypes.includes(config.value.mediaType))
    return invalid(`A configuration of the media type ${shown(config.value.mediaType)} is no image's.`);
  const layers = readAll(manifest.layers, 'a layer');
  if (!layers.ok) return layers;
  for (const { mediaType: type } of layers.value) {
    if (foreignType.test(type))
      return invalid(
        `A layer of the media type ${shown(type)} is kept elsewhere; push the image with all of its layers.`,
      );
    if (!layerType.test(type)) return invalid(`Layers of the media type ${shown(type)} are not known here.`);
  }
  return succeed({ mediaType, blobs: [config.value, ...layers.value].map(partOf), manifests: [] });
}

function readIndex(manifest: Json, mediaType: string): Result<ManifestFacts> {
  const manifests = readAll(manifest.manifests, 'a manifest');
  if (!manifests.ok) return manifests;
  const nested = manifests.value.find(({ mediaType: type }) => !imageTypes.includes(type));
  if (nested) return invalid(`An index may name images only, and not ${shown(nested.mediaType)}.`);
  return succeed({ mediaType, blobs: [], manifests: manifests.value.map(partOf) });
}

type Descriptor = Part & { mediaType: string };

function partOf({ digest, sizeBytes }: Descriptor): Part {
  return { digest, sizeBytes };
}

function readAll(value: unknown, what: string): Result<Descriptor[]> {
  if (!Array.isArray(value)) return invalid(`The manifest has no list where ${what} should be.`);
  if (value.length > maxParts) return invalid(`The manifest names ${value.length} parts; ${maxParts} are taken.`);
  const found: Descriptor[] = [];
  for (const each of value) {
    const descriptor = readDescriptor(each, what);
    if (!descriptor.ok) return descriptor;
    found.push(descriptor.value);
  }
  return succeed(found);
}

function readDescriptor(value: unknown, what: string): Result<Descriptor> {
  if (!isObject(value)) return invalid(`The manifest does not describe ${what}.`);
  const { mediaType, digest, size, urls } = value;
  if (typeof mediaType !== 'string') return invalid(`The manifest does not say of which media type ${what} is.`);
  if (typeof digest !== 'string' || !isDigest(digest))
    return invalid(`The digest of ${what} must be sha256: and 64 hexadecimal digits.`);
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    return invalid(`The size of ${what} must be a number of bytes.`);
  // Clients that follow them would request any address in the name of whoever pulls.
  if (urls !== undefined && !(Array.isArray(urls) && urls.length === 0))
    return invalid(`The descriptor of ${what} has "urls": everything is served from here, and nothing from elsewhere.`);
  return succeed({ mediaType, digest, sizeBytes: size });
}

function parse(content: Uint8Array): Json | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(text: unknown): string {
  return JSON.stringify(String(text).slice(0, 100));
}

function invalid(error: string) {
  return refuse('invalid_request', error);
}
