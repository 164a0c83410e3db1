/**
 * PURE. An image as the engine gets it: the same configuration, by whose digest it knows the image, and layers that are
 * unpacked already. So nothing is unpacked twice, once to count it and once to have it; and nothing reaches the engine
 * that was not counted.
 */
import { type Digest, digestOf } from '../../lib/digest.ts';
import type { Descriptor } from '../manifests/manifest.ts';
import type { ResolvedUpstream } from '../resolve/resolve.ts';
import type { ServedDocument } from './distribution.ts';

export type ServedImage = {
  manifest: ServedDocument;
  config: ServedDocument;
  /** By the digest that the engine asks for. */
  layers: ReadonlyMap<Digest, Descriptor>;
};

/** As its registry has it: for engines that keep images in containerd, which takes no layer of an unknown size. */
export function packedImage({ manifest, config, layers }: ResolvedUpstream): ServedImage {
  return {
    manifest,
    config: { digest: config.descriptor.digest, mediaType: 'application/octet-stream', bytes: config.bytes },
    layers: new Map(layers.map((layer) => [layer.digest, layer])),
  };
}

const manifestType = 'application/vnd.docker.distribution.manifest.v2+json';
const configType = 'application/vnd.docker.container.image.v1+json';
const layerType = 'application/vnd.docker.image.rootfs.diff.tar';

export function unpackedImage({ config, layers, diffIds }: ResolvedUpstream): ServedImage {
  const { digest, sizeBytes } = config.descriptor;
  const document = {
    schemaVersion: 2,
    mediaType: manifestType,
    config: { mediaType: configType, digest, size: sizeBytes },
    // Their sizes are known when they are unpacked; engines go by what comes where none is told.
    layers: diffIds.map((diffId) => ({ mediaType: layerType, digest: diffId, size: 0 })),
  };
  const bytes = Buffer.from(JSON.stringify(document));
  return {
    manifest: { digest: digestOf(bytes), mediaType: manifestType, bytes },
    config: { digest, mediaType: 'application/octet-stream', bytes: config.bytes },
    layers: new Map(diffIds.map((diffId, at) => [diffId, layers[at]!])),
  };
}
