/** PURE. Hashes of what exists for a deployment. Different hashes mean that a visit is necessary. */
import { createHash } from 'node:crypto';
import type { Observed, ObservedWorkload, Tampering } from './workload.ts';

/** One object in a listing of the whole engine. */
export type Listed = {
  kind: 'network' | 'volume' | 'workload' | 'group';
  name?: string;
  phase?: ObservedWorkload['phase'];
  tampering?: Tampering;
  volume?: string;
};

/** Returns the hash of an observation; equal to the hash of a listing at the same time. */
export function hashObserved({ hasNetwork, volumes, workloads }: Observed): string {
  return hashListed([
    ...(hasNetwork ? [{ kind: 'network' } as const] : []),
    ...volumes.map((volume) => ({ kind: 'volume', volume }) as const),
    ...workloads.map(
      ({ name, phase, tampering }) => ({ kind: 'workload', name, phase, ...(tampering && { tampering }) }) as const,
    ),
  ]);
}

/** Returns 16 characters. The order and repetitions of listed objects do not matter. */
export function hashListed(listed: readonly Listed[]): string {
  const lines = [...new Set(listed.flatMap(print))].sort();
  return createHash('sha256').update(lines.join('\n')).digest('base64url').slice(0, 16);
}

function print({ kind, name, phase, tampering, volume }: Listed): string[] {
  switch (kind) {
    case 'network':
      return ['network'];
    case 'volume':
      return volume === undefined ? [] : [`volume ${volume}`];
    case 'workload':
      // Listings do not show other limits.
      return [`${tampering === undefined || tampering === 'limits' ? phase : tampering} ${name}`];
    // Without a network, a visit would find nothing of the deployment.
    case 'group':
      return [];
  }
}
