/** PURE. Manifests that users push: the accepted ones, and their parts. */

import type { Digest } from '../../lib/digest.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import {
  type Descriptor,
  isImageType,
  isManifestFault,
  type Manifest,
  type ManifestFault,
  type Part as PartKind,
  plainType,
  readManifest,
} from '../manifests/manifest.ts';

/** The specification requires registries to accept manifests up to this size. */
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

/** `declared`: the Content-Type that it was sent with. */
export function readPushedManifest(content: Uint8Array, declared: string | undefined): Result<ManifestFacts> {
  if (content.length > maxManifestBytes)
    return invalid(`The manifest is larger than ${maxManifestBytes / 2 ** 20} MiB.`);
  const read = readManifest(content, declared);
  if (isManifestFault(read)) return invalid(messageOf(read));
  const { mediaType } = read;
  if (declared !== undefined && plainType(declared) !== mediaType)
    return invalid(`The manifest says that it is ${quoted(mediaType)}, and was sent as ${quoted(declared)}.`);
  const { length } = read.kind === 'image' ? read.layers : read.entries;
  if (length > maxParts) return invalid(`The manifest names ${length} parts; ${maxParts} are taken.`);
  return factsOf(read);
}

function factsOf(manifest: Manifest): Result<ManifestFacts> {
  const { mediaType } = manifest;
  if (manifest.kind === 'image')
    return succeed({ mediaType, blobs: [manifest.config, ...manifest.layers].map(partOf), manifests: [] });
  const entries = manifest.entries.map(({ descriptor }) => descriptor);
  const nested = entries.find((entry) => !isImageType(entry.mediaType));
  if (nested) return invalid(`An index may name images only, and not ${quoted(nested.mediaType)}.`);
  return succeed({ mediaType, blobs: [], manifests: entries.map(partOf) });
}

function partOf({ digest, sizeBytes }: Descriptor): Part {
  return { digest, sizeBytes };
}

const names = {
  configuration: 'the configuration',
  layer: 'a layer',
  manifest: 'a manifest',
} as const satisfies Record<PartKind, string>;

function messageOf(fault: ManifestFault): string {
  switch (fault.kind) {
    case 'no-object':
      return 'The manifest is not a JSON object.';
    case 'schema-version':
      return 'Only manifests of schema version 2 are taken; push with a newer client.';
    case 'media-type':
      return `Manifests of the media type ${quoted(fault.found)} are not taken: push a Docker or OCI image.`;
    case 'config-type':
      return `A configuration of the media type ${quoted(fault.found)} does not belong to an image.`;
    case 'foreign-layer':
      return `A layer of the media type ${quoted(fault.found)} is kept elsewhere; push the image with all of its layers.`;
    case 'layer-type':
      return `Layers of the media type ${quoted(fault.found)} are not known here.`;
    case 'no-list':
      return `The manifest has no list where ${names[fault.part]} should be.`;
    case 'no-descriptor':
      return `The manifest does not describe ${names[fault.part]}.`;
    case 'no-media-type':
      return `The manifest does not say of which media type ${names[fault.part]} is.`;
    case 'digest':
      return `The digest of ${names[fault.part]} must be sha256: and 64 hexadecimal digits.`;
    case 'size':
      return `The size of ${names[fault.part]} must be a number of bytes.`;
    case 'urls':
      return `The descriptor of ${names[fault.part]} has "urls": all layers must be in this registry.`;
  }
}

function quoted(text: unknown): string {
  return JSON.stringify(String(text).slice(0, 100));
}

function invalid(error: string) {
  return refuse('invalid_request', error);
}
