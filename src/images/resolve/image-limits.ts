/** PURE. The limits of one image, checked against its manifest and configuration before any layer is transferred. */
import { printBytes } from '../../config/values/units.ts';
import type { ImageLimits, OwnImageLimits } from '../../deployment/limits/pull-limits.ts';
import type { Descriptor } from '../manifests/manifest.ts';
import type { ImageConfig } from './image-config.ts';

/** The limits of one image. `by`: the reason for a limit below the general one. */
export type JudgedLimits = { compressed: JudgedLimit; unpacked: JudgedLimit };
export type JudgedLimit = { bytes: number; by?: string };

/** The smaller of the limits for any image and the limits of its owner. */
export function narrowLimits(any: ImageLimits, own?: OwnImageLimits): JudgedLimits {
  const least = (bytes: number, ownBytes = Number.POSITIVE_INFINITY): JudgedLimit =>
    own && ownBytes < bytes ? { bytes: ownBytes, by: own.by } : { bytes };
  return {
    compressed: least(any.compressedBytes, own?.compressedBytes),
    unpacked: least(any.unpackedBytes, own?.unpackedBytes),
  };
}

/** Returns the end of the message "has 3 GiB, more than …". */
export function printLimit({ bytes, by }: JudgedLimit): string {
  return `${printBytes(bytes)}, the maximum for an image${by ? ` ${by}` : ''}`;
}

export const smallerHint = 'leave out files that it does not need to run';

/** Docker stacks no more than 127. */
const maxLayers = 127;
/** Each label of an image is added to all of its containers. Official images have at most a dozen. */
const maxLabels = 1_000;
/**
 * The engine creates a volume for each one that an image declares, and this cannot be disabled. Official images declare
 * 1 or 2.
 */
const maxVolumes = 32;
/** The kernel starts no program with more than 2 MiB of arguments and environment. */
const maxEnvironmentBytes = 131_072;

/** Follows "Image x …". Undefined if all limits are met. */
export function findExcess(
  layers: readonly Descriptor[],
  config: ImageConfig,
  { compressed }: Pick<JudgedLimits, 'compressed'>,
): { because: string; hint: string } | undefined {
  const sent = layers.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (sent > compressed.bytes)
    return { because: `has ${printBytes(sent)}, more than ${printLimit(compressed)}`, hint: smallerHint };
  const counts = [
    ['layers', layers.length, maxLayers, 'build it with fewer steps'],
    ['VOLUMEs', config.volumes, maxVolumes, 'build it with fewer VOLUME lines'],
    ['labels', config.labels, maxLabels, 'build it with fewer LABEL lines'],
    ['bytes of environment', config.environmentBytes, maxEnvironmentBytes, 'build it with fewer ENV lines'],
  ] as const;
  const excess = counts.find(([, count, most]) => count > most);
  if (!excess) return undefined;
  const [what, count, most, hint] = excess;
  return { because: `has ${count} ${what}; at most ${most} are allowed`, hint };
}
