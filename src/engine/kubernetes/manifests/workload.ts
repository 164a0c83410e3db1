/** PURE. The objects that run a workload: a Secret, and a Deployment of one replica or a Job. */
import type { V1Container, V1HostAlias, V1PodTemplateSpec } from '@kubernetes/client-node';
import { limitsOf, requestsOf } from '../../../deployment/limits/pod-resources.ts';
import type { PodRuntime, Workload } from '../../../deployment/workload/workload.ts';
import { EngineFault } from '../../engine.ts';
import { deploymentLabels, labelKeys } from '../../labels.ts';
import { namespaceName, objectName } from '../names.ts';
import type { Manifest } from '../objects.ts';
import { builderSecurity, containerSecurity, lowPortsSysctl, podHardening, podSecurity } from './hardening.ts';
import { workloadKey, workloadMarks } from './marks.ts';
import { envKey, fileKey, mountsOf } from './mounts.ts';

export type WorkloadRequest = {
  owner: string;
  deploymentId: string;
  workload: Workload;
  /** Under which the nodes have or pull it. */
  image: string;
  /** Paths that the image declares as volumes, where that is known. */
  imageVolumes?: readonly string[];
  /** Claims by volume, if the name of the claim differs from the name of the volume. */
  claims?: ReadonlyMap<string, string>;
  /** The user of the image's program, if known. */
  imageUser?: string;
  /** A Secret of the namespace with a login, where the nodes need one. */
  pullSecret?: string;
  names: KnownNames;
  /** Seconds between SIGTERM and SIGKILL if its configuration does not set them. */
  stopSeconds: number;
  /** Disk space of its container outside of volumes, including its log. The cluster evicts pods above it. */
  diskBytes: number;
  /** The runtime of pods whose plan names none. Default: runc. */
  runtime?: PodRuntime | undefined;
  /** Pods may set the lowest port that all users may listen on. */
  hasLowPorts: boolean;
};

/** Tolerates an unreachable node after the cluster's 40 s of detection. The cluster's default is five minutes. */
const awayTolerations = ['not-ready', 'unreachable'].map((condition) => ({
  key: `node.kubernetes.io/${condition}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 30,
}));

/** The retries of a job, as on other engines. */
const jobRetries = 3;

/** A service that may end is restarted after each failure: the rules about crash loops decide when it has failed. */
const serviceRetries = 1_000_000;

/** Ends a builder whose service does not return. A build may take 20 minutes. */
const longestBuildSeconds = 30 * 60;

export const containerName = 'main';

/** The usual name of the runtime class on clusters with gVisor. */
const gvisorClass = 'gvisor';

/** The resource name of NVIDIA's device plugin. */
const gpuResource = 'nvidia.com/gpu';

/** The secret environment and files of the workload. Created before the pod that reads it. */
export function secretManifest({ owner, deploymentId, workload }: WorkloadRequest): Manifest {
  const { labels } = workloadMarks(owner, deploymentId, workload);
  const values = [
    ...Object.values(workload.env).map((value, index) => [envKey(index), value] as const),
    ...workload.files.map(({ content }, index) => [fileKey(index), content] as const),
  ];
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: objectName(deploymentId, workload.name), namespace: namespaceName(deploymentId), labels },
    data: Object.fromEntries(values.map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
  };
}

export function controllerManifest(request: WorkloadRequest): Manifest {
  const { owner, deploymentId, workload } = request;
  const name = objectName(deploymentId, workload.name);
  const metadata = { name, namespace: namespaceName(deploymentId), ...workloadMarks(owner, deploymentId, workload) };
  const template = podTemplate(request);
  if (endsOnce(workload)) {
    const spec = { backoffLimit: serviceRetries, completions: 1, parallelism: 1, template };
    return { apiVersion: 'batch/v1', kind: 'Job', metadata, spec };
  }
  if (workload.buildsImages) {
    const spec = { backoffLimit: 0, activeDeadlineSeconds: longestBuildSeconds, template };
    return { apiVersion: 'batch/v1', kind: 'Job', metadata, spec };
  }
  if (workload.readiness.kind === 'exit') {
    // Each attempt is a separate pod. A pod that is restarted in place is removed, with its log, after the last
    // attempt.
    const spec = { backoffLimit: jobRetries, completions: 1, parallelism: 1, template };
    return { apiVersion: 'batch/v1', kind: 'Job', metadata, spec };
  }
  const spec = {
    replicas: 1,
    revisionHistoryLimit: 0,
    selector: { matchLabels: { ...deploymentLabels(owner, deploymentId), [workloadKey]: name } },
    // Two pods of one workload would write to the same volumes.
    strategy: { type: 'Recreate' },
    template,
  };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec };
}

export function controllerKind(workload: Workload): 'Deployment' | 'Job' {
  return workload.buildsImages || workload.readiness.kind === 'exit' || endsOnce(workload) ? 'Job' : 'Deployment';
}

/**
 * Only a job stays ended on a cluster. A service with volumes is a deployment anyway, because a job cannot be stopped
 * for a copy of its volumes. The cluster restarts it with increasing pauses.
 */
function endsOnce({ readiness, volumes }: Workload): boolean {
  return readiness.mayEnd === true && readiness.kind !== 'exit' && volumes.length === 0;
}

function podTemplate(request: WorkloadRequest): V1PodTemplateSpec {
  const { owner, deploymentId, workload, names, stopSeconds, pullSecret, hasLowPorts } = request;
  const { container = {}, runtime = request.runtime } = workload;
  const { labels } = workloadMarks(owner, deploymentId, workload);
  const { volumes } = mountsOf(request);
  const { supplementalGroups } = userOf(workload);
  const volumeGroup = workload.volumes.length > 0 ? volumeGroupOf(workload, request.imageUser) : undefined;
  const sysctls = [
    ...(hasLowPorts ? [lowPortsSysctl] : []),
    ...Object.entries(container.sysctls ?? {}).map(([name, value]) => ({ name, value })),
  ];
  const aliases = hostAliases(names, container.extraHosts);
  return {
    metadata: { labels, annotations: { [labelKeys.fingerprint]: workload.fingerprint } },
    spec: {
      ...podHardening,
      securityContext: {
        ...podSecurity,
        ...(supplementalGroups && { supplementalGroups }),
        // A large volume is gone through once, and not at every start.
        ...(volumeGroup !== undefined && { fsGroup: volumeGroup, fsGroupChangePolicy: 'OnRootMismatch' }),
        ...(sysctls.length > 0 && { sysctls }),
      },
      restartPolicy: restartPolicyOf(workload),
      terminationGracePeriodSeconds: container.stopGraceSeconds ?? stopSeconds,
      hostname: labelOf(workload.hostname ?? container.hostname ?? workload.pod),
      ...(aliases.length > 0 && { hostAliases: aliases }),
      ...(mayMoveSoon(workload) && { tolerations: awayTolerations }),
      ...(runtime === 'runsc' && { runtimeClassName: gvisorClass }),
      ...(pullSecret !== undefined && { imagePullSecrets: [{ name: pullSecret }] }),
      containers: [containerOf(request)],
      ...(volumes.length > 0 && { volumes }),
    },
  };
}

function restartPolicyOf(workload: Workload): 'Never' | 'OnFailure' | 'Always' {
  if (workload.buildsImages || workload.readiness.kind === 'exit') return 'Never';
  return endsOnce(workload) ? 'OnFailure' : 'Always';
}

/** A cluster takes a label of DNS: of a longer name its first part. */
function labelOf(hostname: string): string {
  return hostname.split('.')[0]!.toLowerCase().replaceAll('_', '-').slice(0, 63);
}

/** A workload with a volume or a job may still be running there, so it is not moved so soon. */
function mayMoveSoon({ volumes, readiness }: Workload): boolean {
  return volumes.length === 0 && readiness.kind !== 'exit';
}

function containerOf(request: WorkloadRequest): V1Container {
  const { deploymentId, workload, image, diskBytes } = request;
  const { container = {}, entrypoint, command, workingDir } = workload;
  const { runAsUser, runAsGroup } = userOf(workload);
  const secret = objectName(deploymentId, workload.name);
  const { mounts } = mountsOf(request);
  const disk = String(diskBytes);
  return {
    name: containerName,
    image,
    imagePullPolicy: 'IfNotPresent',
    ...(entrypoint && { command: entrypoint.map(literal) }),
    ...(command && { args: command.map(literal) }),
    ...(workingDir !== undefined && { workingDir }),
    env: Object.keys(workload.env).map((name, index) => ({
      name,
      valueFrom: { secretKeyRef: { name: secret, key: envKey(index) } },
    })),
    resources: {
      limits: {
        ...amounts(limitsOf(workload.resources)),
        'ephemeral-storage': disk,
        ...(workload.useGPU && { [gpuResource]: '1' }),
      },
      // Disk is not reserved, because most workloads write little.
      requests: { ...amounts(requestsOf(workload.resources)), 'ephemeral-storage': '0' },
    },
    ...(mounts.length > 0 && { volumeMounts: mounts }),
    securityContext: {
      ...(workload.buildsImages ? builderSecurity : containerSecurity),
      ...(container.readOnly && { readOnlyRootFilesystem: true }),
      ...(runAsUser !== undefined && { runAsUser }),
      ...(runAsGroup !== undefined && { runAsGroup }),
    },
  };
}

function amounts({ cpuMillis, memoryBytes }: { cpuMillis: number; memoryBytes: number }): Record<string, string> {
  return { cpu: `${cpuMillis}m`, memory: String(memoryBytes) };
}

/** The cluster would expand `$(NAME)`. A doubled dollar sign prevents that. */
function literal(word: string): string {
  return word.replaceAll('$', '$$$$');
}

/**
 * The user of a workload. A cluster only accepts numbers: names are defined in the image, which is not opened
 * here.
 */

type UserNumbers = { runAsUser?: number; runAsGroup?: number; supplementalGroups?: number[] };

/** `root`, `1000`, `1000:1000`. Throws EngineFault for any other name. */
export function userOf({ pod, user, container = {} }: Pick<Workload, 'pod' | 'user' | 'container'>): UserNumbers {
  const [name, group] = user?.split(':') ?? [];
  const groups = container.groups?.map((each) => numberOf(each, pod));
  return {
    ...(name && { runAsUser: numberOf(name, pod) }),
    ...(group && { runAsGroup: numberOf(group, pod) }),
    ...(groups && { supplementalGroups: groups }),
  };
}

/**
 * Returns the group that owns a volume, so that users other than root can write to it: the group of the workload's
 * user, or else of the image's. Undefined for root, which does not need one, and for names, which were not resolved.
 */
export function volumeGroupOf(workload: Pick<Workload, 'user'>, imageUser = ''): number | undefined {
  const [user = '', group = user] = (workload.user ?? imageUser).split(':');
  return isNumber(group) && Number(user) !== 0 && Number(group) !== 0 ? Number(group) : undefined;
}

const isNumber = (name: string) => /^\d{1,9}$/.test(name);

function numberOf(name: string, pod: string): number {
  if (name === 'root') return 0;
  if (isNumber(name)) return Number(name);
  throw new EngineFault(
    'bad-request',
    `on this cluster, users and groups must be numbers, and ${name} is not a number.`,
    {
      pods: [pod],
      hint: 'write the number that its image has for it, for example 1000',
    },
  );
}

/** Names of pods for each other: lines of their hosts file, so that DNS need not change. */

/** Addresses of the deployment's Services, with the names of the pods behind each. */
export type KnownNames = readonly { address: string; aliases: readonly string[] }[];

/** The form that the cluster accepts. Other names, such as those with `_`, are not supported. */
const hostForm = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/** In the order of addresses, so that the same names give the same manifest. */
export function hostAliases(names: KnownNames, extraHosts: Record<string, string> = {}): V1HostAlias[] {
  const byAddress = new Map<string, Set<string>>();
  const enter = (address: string, name: string) => {
    if (!hostForm.test(name)) return;
    byAddress.set(address, (byAddress.get(address) ?? new Set()).add(name));
  };
  for (const [name, address] of Object.entries(extraHosts)) enter(address, name);
  for (const { address, aliases } of names) for (const alias of aliases) enter(address, alias);
  return [...byAddress]
    .map(([ip, hostnames]) => ({ ip, hostnames: [...hostnames].sort() }))
    .sort((a, b) => (a.ip < b.ip ? -1 : 1));
}
