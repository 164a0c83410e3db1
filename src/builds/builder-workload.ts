/** PURE. The workloads that build the images of a deployment: tenants like any other, which may create user namespaces. */
import { buildVolume } from '../deployment/build/build.ts';
import { workloadName } from '../deployment/deployment-names.ts';
import type { PodRuntime, Workload, WorkloadName } from '../deployment/workload/workload.ts';

export const builderImage = 'berth-builder:1';

/** No pod of a configuration has a dot in its name. */
const builderPod = 'image.build';
const unpackerPod = 'image.base';

export function isBuilderPod(pod: string): boolean {
  return pod === builderPod || pod === unpackerPod;
}

/** Where the volume is mounted. */
export const buildFolder = '/build';

/** Waiting builds request little, so that a build fits next to what runs. */
const requests = { memoryBytes: 128 * 2 ** 20, cpuMillis: 250 };

export type BuilderLimits = { memoryBytes: number; cpuMillis: number };

/** `proxy`: the address of an HTTP proxy. */
type BuilderOptions = { limits: BuilderLimits; runtime?: PodRuntime | undefined; proxy?: string | undefined };

/** `bases`: the folders of the base images, which it cannot change. It mounts them in the order of `mountsOf`. */
export function builderWorkload(
  deploymentId: string,
  revision: number,
  { bases, ...options }: BuilderOptions & { bases: readonly string[] },
): Workload {
  const paths = mountsOf(bases);
  const folders = bases.map((directory, at) => ({ directory, mountPath: paths[at]! }));
  return {
    ...workloadOf(builderPod, deploymentId, revision, options),
    ...(keepsVolume(options.runtime)
      ? { volumes: [{ volume: buildVolume, mountPath: buildFolder }] }
      : {
          container: { tmpfs: [{ mountPath: buildFolder, sizeBytes: options.limits.memoryBytes, isExecutable: true }] },
        }),
    ...(folders.length > 0 && { sharedFolders: folders }),
    env: proxyVariables(options.proxy),
  };
}

/** buildah cannot use volumes in gVisor, so builders there have a folder in memory, which the next build does not find. */
export function keepsVolume(runtime: PodRuntime | undefined): boolean {
  return runtime !== 'runsc';
}

/** Where a builder mounts the folders of base images. */
export function mountsOf(bases: readonly string[]): string[] {
  return bases.map((_, at) => `/bases/${at}`);
}

/** Where a builder that mounts no folders unpacks base images. */
export const unpackedFolder = `${buildFolder}/bases`;

/** buildah uses them and gives them to each step, but not to the image. */
function proxyVariables(proxy: string | undefined): Record<string, string> {
  if (proxy === undefined) return {};
  const variables = { http_proxy: proxy, https_proxy: proxy, no_proxy: 'localhost,127.0.0.1' };
  const upper = Object.entries(variables).map(([name, value]) => [name.toUpperCase(), value]);
  return { ...variables, ...Object.fromEntries(upper) };
}

/** The mount point of the folder that an image is unpacked into. */
export const unpackFolder = '/base';

/** The workload that unpacks a base image into the folder. It runs no code of tenants. */
export function unpackerWorkload(
  deploymentId: string,
  revision: number,
  { folder, ...options }: BuilderOptions & { folder: string },
): Workload {
  return {
    ...workloadOf(unpackerPod, deploymentId, revision, options),
    sharedFolders: [{ directory: folder, mountPath: unpackFolder, isWritable: true }],
  };
}

/** The workloads of a build, for their removal. */
export function buildWorkloadNames(deploymentId: string, revision: number): WorkloadName[] {
  return [builderPod, unpackerPod].map((pod) => nameOf(deploymentId, pod, revision));
}

function workloadOf(
  pod: string,
  deploymentId: string,
  revision: number,
  { limits, runtime }: BuilderOptions,
): Workload {
  return {
    name: nameOf(deploymentId, pod, revision),
    pod,
    revision,
    replica: 0,
    // The workload is created for one build and never reused.
    fingerprint: 'build',
    image: builderImage,
    env: {},
    files: [],
    volumes: [],
    ports: [],
    aliases: [],
    resources: { requests, limits },
    useGPU: false,
    readiness: { kind: 'running' },
    buildsImages: true,
    ...(runtime && { runtime }),
  };
}

function nameOf(deploymentId: string, pod: string, revision: number): WorkloadName {
  return workloadName(deploymentId, pod, { revision, replica: 0, restart: 0 });
}
