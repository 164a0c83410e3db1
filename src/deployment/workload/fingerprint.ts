/**
 * PURE. Identifies the content of a workload, so that a running workload is replaced only if its content changes. A
 * fingerprint is a label of a container and outlives the release that made it: it is canonical and names its version.
 * Golden files in `test/golden` show when one changes.
 */
import { createHash } from 'node:crypto';
import stringify from 'safe-stable-stringify';
import type { Workload } from './workload.ts';

/** All that makes a workload what it is. Not its revision: a pod that an update leaves as it was keeps running. */
export type WorkloadContent = Omit<Workload, 'name' | 'revision' | 'fingerprint' | 'runtime'>;

/**
 * `v2-` and 32 hexadecimal digits, of JSON with sorted keys. A new field has to be absent where nobody asked for it: a
 * default that is written out would replace every workload.
 */
export function fingerprintOf(content: WorkloadContent): string {
  return `v2-${createHash('sha256').update(stringify(content)).digest('hex').slice(0, 32)}`;
}
