/** The outline of a configuration: its pods and how they hang together, without a value that could be a secret. Pure. */

import { printBytes } from '../values/units.ts';
import type { AppSpec, PodSpec } from './spec.ts';
import { usesOf } from './uses.ts';

export type PodOutline = {
  name: string;
  /** The image as written in the document. */
  image: string;
  /** Public paths; empty for an internal pod. */
  paths: string[];
  ports: number[];
  /** The other pods that it names in its variables, commands and files, or waits for. */
  uses: string[];
  volumes: { name: string; size: string; mountPath: string }[];
  resourceType: PodSpec['resourceType'];
  replicas: number;
};

/** Returns one entry per pod, in the document's order. */
export function outlineOf(spec: AppSpec): PodOutline[] {
  const uses = usesOf(spec);
  return spec.pods.map((pod) => ({
    name: pod.name,
    image: pod.image,
    paths: pod.path === undefined ? [] : [pod.path],
    ports: pod.servicePorts,
    uses: uses.get(pod.name) ?? [],
    volumes: pod.volumes.map(({ name, sizeBytes, mountPath }) => ({ name, size: printBytes(sizeBytes), mountPath })),
    resourceType: pod.resourceType,
    replicas: pod.replicas,
  }));
}
