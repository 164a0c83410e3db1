/** The two documents of an image that is measured: what it runs is the program of the engines' contract. */

import { layerType, manifestOf } from '../src/push/image-documents.ts';
import type { programImage } from '../test/contract/image.ts';

/** As it is sent, and the digest of what it unpacks to. */
export type PackedLayer = { digest: string; sizeBytes: number; diffId: string };

/** `config`: how the program starts. */
export function imageDocuments(
  { config: start }: Pick<Awaited<ReturnType<typeof programImage>>, 'config'>,
  layers: readonly PackedLayer[],
): { config: Buffer; manifest: Buffer } {
  const config = Buffer.from(
    JSON.stringify({
      ...{ os: 'linux', architecture: process.arch === 'x64' ? 'amd64' : process.arch, config: start },
      rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    }),
  );
  const described = layers.map(({ digest, sizeBytes }) => ({ mediaType: layerType('gzip'), digest, size: sizeBytes }));
  return { config, manifest: manifestOf(config, described) };
}
