/** Observed hashes: what exists of a deployment, in short. Two that differ say that somebody should look closer. Pure. */
import { createHash } from 'node:crypto';
import type { Observed, ObservedWorkload, Tampering } from './workload.ts';

/** What a listing of a whole engine tells of one thing. */
export type Listed = {
  kind: 'network' | 'volume' | 'workload' | 'group';
  name?: string;
  phase?: ObservedWorkload['phase'];
  tampering?: Tampering;
  volume?: string;
};

/** Of what an observation saw: the same as that of the listing made at the same time. */
export function hashObserved({ hasNetwork, volumes, workloads }: Observed): string {
  return hashListed([
    ...(hasNetwork ? [{ kind: 'network' } as const] : []),
    ...volumes.map((volume) => ({ kind: 'volume', volume }) as const),
    ...workloads.map(
      ({ name, phase, tampering }) => ({ kind: 'workload', name, phase, ...(tampering && { tampering }) }) as const,
    ),
  ]);
}

/** 16 characters; the order of what is listed does not matter, nor how often it is. */
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
      // No listing shows other limits.
      return [`${tampering === undefined || tampering === 'limits' ? phase : tampering} ${name}`];
    // Without a network, nothing of a deployment is left that a visit could see.
    case 'group':
      return [];
  }
}
