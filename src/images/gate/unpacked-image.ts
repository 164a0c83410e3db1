/**
 * PURE. An image as the engine gets it: the same configuration, by whose digest it knows the image, and layers that are
 * unpacked already. So nothing is unpacked twice, once to count it and once to have it; and nothing reaches the engine
 * that was not counted.
 */
import { type Digest, digestOf } from '../blobs/digest.ts';
import type { Descriptor } from '../manifests/manifest.ts';
import type { ResolvedUpstream } from '../resolve/resolve.ts';
import type { ServedDocument } from './distribution.ts';

export type UnpackedImage = {
  manifest: ServedDocument;
  config: ServedDocument;
  /** The layer that is to unpack to it. */
  layers: ReadonlyMap<Digest, Descriptor>;
};

const manifestType = 'application/vnd.docker.distribution.manifest.v2+json';
const configType = 'application/vnd.docker.container.image.v1+json';
const layerType = 'application/vnd.docker.image.rootfs.diff.tar';

export function unpackedImage({ config, layers, diffIds }: ResolvedUpstream): UnpackedImage {
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
