/** Desired: what should exist for a deployment at an instant, as workloads with everything resolved. */
import { createHash } from 'node:crypto';
import type { AppSpec, PodSpec, VolumeSpec } from '../config/spec.ts';
import { type Deployment, type Instant, isPastLimit, type Revision } from './deployment.ts';
import { workloadName } from './names.ts';
import { startOrder } from './order.ts';
import type { Readiness, Workload } from './workload.ts';

export type Desired =
  | { kind: 'gone'; because: 'removed' | 'expired' }
  | {
      kind: 'running';
      revision: number;
      /** In start order. */
      workloads: DesiredWorkload[];
      volumes: string[];
    };

export type DesiredWorkload = {
  workload: Workload;
  /** The public path that the edge sends to its first port; absent for internal pods. */
  path?: string;
  /** Pods that must be ready before it starts. */
  dependsOn: string[];
  /** It shares its volumes with nothing: the old one stops before the new one starts. */
  isExclusive: boolean;
};

/** Which revision should run: the one asked for, or, when that has failed, the last that served. */
export function wantedRevision({ state, revision, servingRevision }: Deployment): number {
  return state === 'failed' && servingRevision !== null ? servingRevision : revision;
}

/** Why nothing of the deployment should exist at `now`; undefined while it should. */
export function endingAt(deployment: Deployment, now: Instant): 'removed' | 'expired' | undefined {
  if (deployment.removedAt !== null) return 'removed';
  return isPastLimit(deployment, now) ? 'expired' : undefined;
}

/** What should exist at `now`. `url` is the deployment's own, as its visitors see it. */
export function desiredAt(deployment: Deployment, revision: Revision, url: URL, now: Instant): Desired {
  const because = endingAt(deployment, now);
  if (because) return { kind: 'gone', because };
  const { spec, number } = revision;
  return {
    kind: 'running',
    revision: number,
    workloads: startOrder(spec.pods).flatMap((pod) =>
      Array.from({ length: replicasOf(pod) }, (_, replica) => ({
        workload: toWorkload(deployment.id, spec, pod, number, replica, url),
        ...(pod.path !== undefined && { path: pod.path }),
        dependsOn: pod.dependsOn,
        isExclusive: pod.volumes.length > 0,
      })),
    ),
    volumes: volumesOf(spec),
  };
}

/** One machine is one node: a daemonset has one replica here; so has a job. */
function replicasOf({ resourceType, replicas }: PodSpec): number {
  return resourceType === 'daemonset' || resourceType === 'job' ? 1 : replicas;
}

function volumesOf({ pods }: AppSpec): string[] {
  const names = pods.flatMap((pod) =>
    Array.from({ length: replicasOf(pod) }, (_, replica) =>
      pod.volumes.map((volume) => volumeName(pod, volume, replica)),
    ).flat(),
  );
  return [...new Set(names)];
}

/**
 * Each replica of a statefulset has volumes of its own; the replicas of anything else share theirs. A dot keeps what
 * is shared between pods apart: no pod's name has one.
 */
function volumeName({ name, resourceType }: PodSpec, volume: VolumeSpec, replica: number): string {
  if (volume.isShared) return `shared.${volume.name}`;
  const owner = resourceType === 'statefulset' && replica > 0 ? `${name}-${replica}` : name;
  return `${owner}-${volume.name}`;
}

function toWorkload(
  deploymentId: string,
  spec: AppSpec,
  pod: PodSpec,
  revision: number,
  replica: number,
  url: URL,
): Workload {
  const replace = (text: string) => replaceScriptlets(text, url, spec);
  const content = {
    pod: pod.name,
    replica,
    image: replaceScriptlets(pod.image, url, spec).replace(/^\//, ''),
    ...(spec.registryLogin && { registryLogin: spec.registryLogin }),
    ...(pod.entrypoint && { entrypoint: pod.entrypoint.map(replace) }),
    ...(pod.command && { command: pod.command.map(replace) }),
    ...(pod.workingDir !== undefined && { workingDir: pod.workingDir }),
    ...(pod.user !== undefined && { user: pod.user }),
    env: Object.fromEntries(Object.entries(pod.vars).map(([name, value]) => [name, replace(value)])),
    files: pod.files.map(({ path, content }) => ({ path, content: replace(content) })),
    volumes: pod.volumes.map((volume) => ({ volume: volumeName(pod, volume, replica), mountPath: volume.mountPath })),
    ports: pod.servicePorts,
    aliases: aliasesOf(spec.name, pod, replica),
    resources: pod.resources,
    useGPU: pod.useGPU,
    readiness: readinessOf(pod),
  };
  // Without the revision: a pod that an update leaves as it was keeps running.
  const fingerprint = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32);
  return { ...content, name: workloadName(deploymentId, pod.name, revision, replica), revision, fingerprint };
}

function replaceScriptlets(text: string, url: URL, { registryLogin }: AppSpec): string {
  return text.replace(/<%\s*(URL|DOMAIN|REGISTRY)\s*%>/g, (_, name) => {
    if (name === 'URL') return url.origin;
    return name === 'DOMAIN' ? url.host : (registryLogin?.registry ?? '');
  });
}

/** `<pod>.pod` and `<pod>`, and the forms that people's documents use besides (design, section 10). */
function aliasesOf(application: string, { name, resourceType, aliases = [] }: PodSpec, replica: number): string[] {
  const own = resourceType === 'statefulset' ? [`${name}-${replica}.pod`, `${name}-${replica}`] : [];
  const rescued = [`${application}-${name}.pod`, `${name}-${application}.pod`, `${application}-${name}-service`];
  return [...new Set([`${name}.pod`, name, ...own, ...aliases, ...rescued])];
}

function readinessOf({ resourceType, healthCheck, servicePorts }: PodSpec): Readiness {
  if (resourceType === 'job') return { kind: 'exit' };
  if (healthCheck) return { kind: 'http', ...healthCheck };
  return servicePorts[0] === undefined ? { kind: 'running' } : { kind: 'port', port: servicePorts[0] };
}
