/** An image that is measured: its two documents, and blobs in parts; what it runs is the program of the engines' contract. */
import { createHash } from 'node:crypto';
import type { Digest } from '../src/lib/digest.ts';
import { layerType, manifestOf } from '../src/push/image-documents.ts';
import type { programImage } from '../test/contract/image.ts';

/** As it is sent, and the digest of what it unpacks to. */
export type PackedLayer = { digest: string; sizeBytes: number; diffId: string };

/** `config`: how the program starts. */
export function imageDocuments(
  { config: start }: Pick<Awaited<ReturnType<typeof programImage>>, 'config'>,
  layers: readonly PackedLayer[],
  compression: 'none' | 'gzip' = 'gzip',
): { config: Buffer; manifest: Buffer } {
  const config = Buffer.from(
    JSON.stringify({
      os: 'linux',
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      config: start,
      rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    }),
  );
  const described = layers.map(({ digest, sizeBytes }) => ({
    mediaType: layerType(compression),
    digest,
    size: sizeBytes,
  }));
  return { config, manifest: manifestOf(config, described) };
}

export function lengthOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

export function digestOfParts(parts: readonly Buffer[]): Digest {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return `sha256:${hash.digest('hex')}`;
}
