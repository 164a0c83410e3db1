/**
 * PURE. What tells whether a workload that runs is the one that is wanted. A fingerprint outlives the release that made
 * it, because it is a label of a container. So it is canonical, it names its version, and those of earlier releases are
 * computed too: an upgrade of Berth restarts nothing. Golden files in `test/golden` show when one changes.
 */
import { createHash } from 'node:crypto';
import stringify from 'safe-stable-stringify';
import type { Workload } from './workload.ts';

/** All that makes a workload what it is. Not its revision: a pod that an update leaves as it was keeps running. */
export type WorkloadContent = Omit<Workload, 'name' | 'revision' | 'fingerprint' | 'formerFingerprints' | 'runtime'>;

/**
 * `v2-` and 32 hexadecimal digits, of JSON with sorted keys. A new field has to be absent where nobody asked for it: a
 * default that is written out would replace every workload.
 */
export function fingerprintOf(content: WorkloadContent): string {
  return `v2-${digest(stringify(content))}`;
}

/** What earlier releases called the same content; empty when it has fields that they did not know. */
export function formerFingerprintsOf(content: WorkloadContent): string[] {
  // Release 0.1 hashed JSON with the fields in just this order, and within them in the order of the stored revision.
  const { pod, replica, image, hostname, registryLogin, entrypoint, command, workingDir, user, ...more } = content;
  const { env, files, volumes, ports, aliases, resources, useGPU, readiness, ...unknown } = more;
  if (Object.values(unknown).some((value) => value !== undefined)) return [];
  const first = { pod, replica, image, hostname, registryLogin, entrypoint, command, workingDir, user };
  const rest = { env, files, volumes, ports, aliases, resources, useGPU, readiness };
  return [digest(JSON.stringify({ ...first, ...rest }))];
}

/** Whether what carries `fingerprint` is this workload, whichever release has started it. */
export function isSameWorkload(
  { fingerprint, formerFingerprints = [] }: Pick<Workload, 'fingerprint' | 'formerFingerprints'>,
  found: string,
): boolean {
  return found === fingerprint || formerFingerprints.includes(found);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
