/** PURE. Deterministic names on a cluster, so that a repeated operation finds the existing object. */
import { createHash } from 'node:crypto';
import type { WorkloadName } from '../../deployment/workload/workload.ts';

/** The form that Kubernetes accepts for all names and for label values. */
const labelForm = /^[a-z]([a-z0-9-]*[a-z0-9])?$/;

/** A label may have 63 characters, and the cluster adds up to 11 to the name of a workload. */
const maxCharacters = 52;

export function namespaceName(deploymentId: string): string {
  return `berth-${deploymentId}`;
}

/** Returns the name of a workload within the namespace of its deployment: `web-1-0`. */
export function objectName(deploymentId: string, workload: WorkloadName): string {
  const prefix = `berth-${deploymentId}-`;
  return clusterName(workload.startsWith(prefix) ? workload.slice(prefix.length) : workload);
}

/** The Service for one replica of a pod. Names of pods contain no dots, so it cannot equal a pod's own. */
export function replicaServiceName(pod: string, replica: number): string {
  return clusterName(`${pod}.${replica}`);
}

/** Returns the text if it is a valid name. Otherwise, its valid characters with a hash of the whole text. */
export function clusterName(text: string): string {
  if (text.length <= maxCharacters && labelForm.test(text)) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 10);
  const letters = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[^a-z]+/g, '');
  return `${letters.slice(0, maxCharacters - hash.length - 1) || 'x'}-${hash}`.replaceAll(/-+/g, '-');
}
