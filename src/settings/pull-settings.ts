/** Fields of BERTH_TIERS and BERTH_STRANGERS that limit image pulls. */
import type { PullLimits } from '../deployment/limits/pull-limits.ts';
import { integer, size } from './setting-values.ts';

export const pullFields: Record<string, { limit: keyof PullLimits; read: (text: string) => number }> = {
  'image-size': { limit: 'compressedBytes', read: size },
  'image-unpacked': { limit: 'unpackedBytes', read: size },
  pulls: { limit: 'atOnce', read: integer(1, 1_000) },
};

/** Undefined if none of the fields is given. */
export function readPulls(fields: ReadonlyMap<string, string>): PullLimits | undefined {
  const limits: PullLimits = {};
  for (const [name, { limit, read }] of Object.entries(pullFields)) {
    const given = fields.get(name);
    if (given !== undefined) limits[limit] = read(given);
  }
  return Object.keys(limits).length > 0 ? limits : undefined;
}
