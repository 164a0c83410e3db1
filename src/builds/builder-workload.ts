/** PURE. The workload in which the images of a deployment are built: a tenant like any other, which may also nest. */
import { buildVolume } from '../deployment/build/build-volume.ts';
import { workloadName } from '../deployment/deployment-names.ts';
import type { PodRuntime, Workload } from '../deployment/workload/workload.ts';

export const builderImage = 'berth-builder:1';

/** No pod of a configuration has a dot in its name. */
const builderPod = 'image.build';

/** Where the volume is mounted. */
export const buildFolder = '/build';

/** Waiting builds request little, so that a build fits next to what runs. */
const requests = { memoryBytes: 128 * 2 ** 20, cpuMillis: 250 };

export type BuilderLimits = { memoryBytes: number; cpuMillis: number };

export function builderWorkload(
  deploymentId: string,
  revision: number,
  { limits, runtime }: { limits: BuilderLimits; runtime?: PodRuntime | undefined },
): Workload {
  return {
    name: workloadName(deploymentId, builderPod, { revision, replica: 0, restart: 0 }),
    pod: builderPod,
    revision,
    replica: 0,
    fingerprint: `builder-${limits.memoryBytes}-${limits.cpuMillis}`,
    image: builderImage,
    env: {},
    files: [],
    volumes: [{ volume: buildVolume, mountPath: buildFolder }],
    ports: [],
    aliases: [],
    resources: { requests, limits },
    useGPU: false,
    readiness: { kind: 'running' },
    buildsImages: true,
    ...(runtime && { runtime }),
  };
}
