/** PURE. The two documents of an image, its settings and its manifest, with additional layers. */
import { digestOf } from '../lib/digest.ts';

export const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const configType = 'application/vnd.oci.image.config.v1+json';

export type Descriptor = { mediaType: string; digest: string; size: number };

/** An added layer: the sent blob, and the digest of its unpacked content. */
export type AddedLayer = { diffId: string; createdBy: string };

type Config = { rootfs: { type: string; diff_ids: string[] }; history?: object[] };

function readConfig(config: Buffer): Config {
  return JSON.parse(config.toString('utf8')) as Config;
}

/** The digests of the plain tars of an image's layers, from the lowest one on. */
export function diffIdsOf(config: Buffer): string[] {
  return readConfig(config).rootfs.diff_ids;
}

/** Without anything on top it is the very same, byte for byte. */
export function withLayers(config: Buffer, added: readonly AddedLayer[]): Buffer {
  if (added.length === 0) return config;
  const { rootfs, history = [], ...rest } = readConfig(config);
  return Buffer.from(
    JSON.stringify({
      ...rest,
      rootfs: { ...rootfs, diff_ids: [...rootfs.diff_ids, ...added.map(({ diffId }) => diffId)] },
      // Without a time, the same layers on the same base give the same image.
      history: [
        ...history,
        ...added.map(({ createdBy }) => ({ created: '1970-01-01T00:00:00Z', created_by: createdBy })),
      ],
    }),
  );
}

export function manifestOf(config: Buffer, layers: readonly Descriptor[]): Buffer {
  const described: Descriptor = { mediaType: configType, digest: digestOf(config), size: config.length };
  return Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: manifestType, config: described, layers }));
}

export function layerType(compression: 'none' | 'gzip' | 'zstd'): string {
  return `application/vnd.oci.image.layer.v1.tar${compression === 'none' ? '' : `+${compression}`}`;
}
