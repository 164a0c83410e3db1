/** PURE. An image as the engine gets it: as its registry has it, except for layers that the engine cannot unpack. */
import { type Digest, digestOf } from '../../lib/digest.ts';
import type { ResolvedUpstream } from '../resolve/resolve.ts';
import type { ServedDocument } from './distribution.ts';

export type ServedImage = { manifest: ServedDocument; config: ServedDocument };

/** A layer that was unpacked here, named by the digest of the unpacked bytes. */
export type UnpackedLayer = { digest: Digest; sizeBytes: number };

const manifestType = 'application/vnd.docker.distribution.manifest.v2+json';
const configType = 'application/vnd.docker.container.image.v1+json';
const layerType = 'application/vnd.docker.image.rootfs.diff.tar';

/** `unpacked`: by the digest that the registry calls the layer by. */
export function servedImage(
  { manifest, config, layers }: ResolvedUpstream,
  unpacked: ReadonlyMap<Digest, UnpackedLayer>,
): ServedImage {
  const { digest, sizeBytes } = config.descriptor;
  const served = { digest, mediaType: 'application/octet-stream', bytes: config.bytes };
  if (unpacked.size === 0) return { manifest, config: served };
  const document = {
    schemaVersion: 2,
    mediaType: manifestType,
    config: { mediaType: configType, digest, size: sizeBytes },
    layers: layers.map((layer) => {
      const plain = unpacked.get(layer.digest);
      const mediaType = plain || !layer.mediaType.endsWith('gzip') ? layerType : `${layerType}.gzip`;
      return { mediaType, digest: plain?.digest ?? layer.digest, size: plain?.sizeBytes ?? layer.sizeBytes };
    }),
  };
  const bytes = Buffer.from(JSON.stringify(document));
  return { manifest: { digest: digestOf(bytes), mediaType: manifestType, bytes }, config: served };
}
