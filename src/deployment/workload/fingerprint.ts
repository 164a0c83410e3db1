/**
 * PURE. Identifies the content of a workload, so that a running workload is replaced only if its content changes. A
 * fingerprint is a label of a container and outlives the release that made it: it is canonical and names its version.
 * Golden files in `test/golden` show when one changes.
 */
import { createHash } from 'node:crypto';
import stringify from 'safe-stable-stringify';
import type { Workload } from './workload.ts';

/**
 * The fields in the fingerprint. The revision is not one of them, so that a pod that an update does not change keeps
 * running.
 */
export type WorkloadContent = Omit<Workload, 'name' | 'revision' | 'fingerprint' | 'runtime'>;

/**
 * Returns `v2-` and 32 hexadecimal digits, a hash of JSON with sorted keys. A new field must be absent by default,
 * because a default value would replace every workload.
 */
export function fingerprintOf(content: WorkloadContent): string {
  return `v2-${createHash('sha256').update(stringify(content)).digest('hex').slice(0, 32)}`;
}
