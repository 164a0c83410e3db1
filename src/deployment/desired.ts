/** The desired state of a deployment at an instant: its workloads with all values resolved. */

import { type AddressBook, addressBook, aliasesOf } from '../config/spec/pod-addresses.ts';
import {
  type AppSpec,
  hasTest,
  isAtOwnHost,
  type PodSpec,
  type RouteOptions,
  subdomainOf,
} from '../config/spec/spec.ts';
import { isPinned } from '../config/values/image-names.ts';
import { replaceScriptlets } from '../config/variables/scriptlets.ts';
import { type Deployment, type Instant, isPastLimit, type Revision } from './deployment.ts';
import { workloadName } from './deployment-names.ts';
import { type DesiredVolume, replicasOf, volumeName, volumesOf } from './desired-volumes.ts';
import { keptUntil } from './grace.ts';
import { startOrder } from './plan/start-order.ts';
import type { SleepStage } from './sleep.ts';
import type { Restore } from './snapshot/snapshot.ts';
import { type Derive, generatedValue } from './workload/derived-secrets.ts';
import type { Egress } from './workload/egress.ts';
import { fingerprintOf, type PodRuntime, type Readiness, type Workload } from './workload/workload.ts';

export type Desired =
  /** `keptUntil`: see `grace.ts`; null: its volumes are removed too. */
  | { kind: 'gone'; because: 'removed' | 'expired'; keptUntil: Instant | null }
  /** Its owner has stopped it. Only its volumes exist. */
  | { kind: 'stopped'; restore?: FilledRestore }
  /** Nothing runs. Workloads (for their logs), volumes and the network stay. */
  | { kind: 'suspended' }
  /** Requests wake it up. */
  | { kind: 'asleep'; stage: SleepStage }
  | {
      kind: 'running';
      revision: number;
      /** Whether an earlier revision became ready, so that it may run again. */
      hasServed: boolean;
      /** In start order. */
      workloads: DesiredWorkload[];
      volumes: DesiredVolume[];
      egress: Egress;
      /** False: its owner wants it to stay awake. */
      sleep?: false;
      /** Restored data that replaces volumes before their pods run. */
      restore?: FilledRestore;
    };

export type Running = Extract<Desired, { kind: 'running' }>;

export type FilledRestore = Pick<Restore, 'id' | 'snapshotId' | 'volumes' | 'fromDeploymentId'> & { filledKey: string };

export type DesiredWorkload = {
  workload: Workload;
  /** The public path that the edge sends to its first port; absent for internal pods. */
  path?: string;
  /** A custom domain that leads to this pod at this path. */
  subdomain?: { host: string; path: string };
  /** How requests to these paths are forwarded. */
  options: RouteOptions;
  /** Pods that must be ready before it starts. */
  dependsOn: string[];
  /** The workload has volumes that cannot be shared, so the old workload stops before the new one starts. */
  isExclusive: boolean;
  /** The workload starts when all earlier replicas are ready. */
  isOrdered: boolean;
  /** The digest of its image is known: the reference is pinned, or was resolved for this revision. */
  isImageSettled: boolean;
};

/** Returns the references of all images. */
export function imagesOf(desired: Desired): string[] {
  return desired.kind !== 'running' ? [] : [...new Set(desired.workloads.map(({ workload }) => workload.image))];
}

/** Returns the revision that should run: the latest one or, if that failed, the last one that served. */
export function wantedRevision({ state, revision, servingRevision }: Deployment): number {
  return state === 'failed' && servingRevision !== null ? servingRevision : revision;
}

/** Returns whether the deployment failed and has no earlier revision to run. */
export function hasFailed(deployment: Deployment): boolean {
  return deployment.state === 'failed' && wantedRevision(deployment) === deployment.revision;
}

/** Returns why the deployment has ended at `now`; undefined if it has not. */
export function endingAt(deployment: Deployment, now: Instant): 'removed' | 'expired' | undefined {
  if (deployment.removedAt !== null) return 'removed';
  // An expired deployment stays expired if the clock is set back, because its objects may be gone.
  return deployment.state === 'expired' || isPastLimit(deployment, now) ? 'expired' : undefined;
}

/** Values that a revision is resolved with. */
export type Resolution = {
  now: Instant;
  /** How long the volumes of an ended deployment are kept. Default: not at all. */
  graceMs?: number;
  /** The address of the deployment, as its visitors see it. */
  url: URL;
  /** The plan's egress. It has no default, so that no caller opens it by omission. */
  egress: Egress;
  /** The runtime of its plan; absent: the engine's default. */
  runtime?: PodRuntime | undefined;
  /** Computes the values of `<% SECRET … %>`. Without it, a revision with such a value cannot be resolved. */
  derive?: Derive;
};

/**
 * Returns the desired state of a deployment that has ended, is stopped or suspended, or sleeps, at `now`; undefined
 * otherwise.
 */
export function restOf(deployment: Deployment, now: Instant, graceMs: number): Exclude<Desired, Running> | undefined {
  // A suspension takes precedence over a removal: the owner may remove the deployment or the account, and the evidence
  // has to stay.
  if (deployment.suspendedAt !== null) return { kind: 'suspended' };
  const because = endingAt(deployment, now);
  if (because) return { kind: 'gone', because, keptUntil: keptUntil(deployment, now, graceMs) };
  if (deployment.stoppedAt !== null) return { kind: 'stopped' };
  return deployment.sleep === null ? undefined : { kind: 'asleep', stage: deployment.sleep };
}

/** Returns what should exist at `now`, or what a deployment that sleeps has after its wake. */
export function desiredAt(deployment: Deployment, revision: Revision, resolution: Resolution): Desired {
  const { now, url, egress, runtime, derive = refuseSecrets, graceMs = 0 } = resolution;
  const rest = restOf({ ...deployment, sleep: null }, now, graceMs);
  if (rest) return rest;
  const { spec, number, images = {} } = revision;
  const { id: deploymentId, restarts } = deployment;
  const values = { url, registry: spec.registryLogin?.registry ?? '', deploymentId, derive, restarts };
  const book = addressBook(spec);
  const fingerprints = new Map<string, string[]>();
  return {
    kind: 'running',
    revision: number,
    hasServed: deployment.servingRevision !== null,
    workloads: startOrder(spec).flatMap((pod) => {
      const texts = textsOf(pod, values);
      // Its dependencies come earlier in the order, so their fingerprints are known.
      const restartsWith = pod.restartsWith?.flatMap((name) => fingerprints.get(name) ?? []);
      const workloads = Array.from({ length: replicasOf(pod) }, (_, replica) =>
        toWorkload(revision, { pod, texts, book, restartsWith }, replica, values),
      );
      fingerprints.set(
        pod.name,
        workloads.map(({ fingerprint }) => fingerprint),
      );
      return workloads.map((workload) => ({
        workload: { ...workload, ...(runtime && { runtime }) },
        isImageSettled: isSettled(imageOf(pod, values), images),
        ...(isAtOwnHost(pod, spec) && { path: pod.path }),
        ...atSubdomain(pod, spec),
        options: { ...(pod.stripPrefix && { stripPrefix: true }), ...(pod.sticky && { sticky: true }) },
        dependsOn: pod.dependsOn,
        isExclusive: pod.volumes.length > 0,
        isOrdered: pod.resourceType === 'statefulset',
      }));
    }),
    volumes: volumesOf(spec),
    egress,
    ...(spec.sleep === false && { sleep: false }),
  };
}

/** Values of the scriptlets of a deployment. */
type Values = {
  url: URL;
  registry: string;
  deploymentId: string;
  derive: Derive;
  restarts: Deployment['restarts'];
};

/** Returns the image reference as the configuration means it. */
function imageOf({ image }: PodSpec, values: Values): string {
  return replaceAll(image, values).replace(/^\//, '');
}

function isSettled(image: string, images: NonNullable<Revision['images']>): boolean {
  return isPinned(image) || Object.hasOwn(images, image);
}

type Texts = Pick<Workload, 'env' | 'files'> & Partial<Pick<Workload, 'entrypoint' | 'command'>>;

/** Texts that all replicas of a pod share. They can be as large as the document, so they are resolved once. */
function textsOf(pod: PodSpec, values: Values): Texts {
  const replace = (text: string) => replaceAll(text, values);
  return {
    ...(pod.entrypoint && { entrypoint: pod.entrypoint.map(replace) }),
    ...(pod.command && { command: pod.command.map(replace) }),
    env: Object.fromEntries(Object.entries(pod.vars).map(([name, value]) => [name, replace(value)])),
    files: pod.files.map(({ isSecret: _, content, ...file }) => ({ ...file, content: replace(content) })),
  };
}

function toWorkload(
  { spec, number: revision, images = {} }: Revision,
  {
    pod,
    texts,
    book,
    restartsWith,
  }: { pod: PodSpec; texts: Texts; book: AddressBook; restartsWith?: string[] | undefined },
  replica: number,
  values: Values,
): Workload {
  const image = imageOf(pod, values);
  const restart = Object.hasOwn(values.restarts, pod.name) ? values.restarts[pod.name]! : 0;
  const content = {
    pod: pod.name,
    replica,
    // A tag that has changed since the last revision changes the fingerprint, and so results in a new workload.
    image: Object.hasOwn(images, image) ? images[image]! : image,
    ...(pod.resourceType === 'statefulset' && { hostname: replicaName(pod.name, replica) }),
    ...(spec.registryLogin && { registryLogin: spec.registryLogin }),
    ...texts,
    ...(pod.workingDir !== undefined && { workingDir: pod.workingDir }),
    ...(pod.user !== undefined && { user: pod.user }),
    volumes: pod.volumes.map((volume) => ({ volume: volumeName(pod, volume, replica), mountPath: volume.mountPath })),
    ports: pod.servicePorts,
    aliases: aliasesOf(spec, book, pod, replica),
    resources: pod.resources,
    useGPU: pod.useGPU,
    ...(pod.container && { container: pod.container }),
    readiness: { ...readinessOf(spec, pod, values), ...(pod.container?.mayEnd && { mayEnd: true as const }) },
    ...(restartsWith && restartsWith.length > 0 && { restartsWith }),
    // A restarted pod is a new workload, which replaces the previous one like an update.
    ...(restart > 0 && { restart }),
  };
  return {
    ...content,
    name: workloadName(values.deploymentId, pod.name, { revision, replica, restart }),
    revision,
    fingerprint: fingerprintOf(content),
  };
}

/** Returns a DNS label: a long name is shortened, and the number stays. Database clusters identify members by it. */
function replicaName(podName: string, replica: number): string {
  const suffix = `-${replica}`;
  return `${podName.slice(0, 63 - suffix.length)}${suffix}`;
}

function replaceAll(text: string, { url, registry, derive }: Values): string {
  return replaceScriptlets(text, (scriptlet) => {
    switch (scriptlet.kind) {
      case 'url':
        return url.origin;
      case 'domain':
        return url.host;
      case 'host':
        return url.hostname;
      case 'registry':
        return registry;
      case 'secret':
        return generatedValue(scriptlet.name, derive);
    }
  });
}

/** Without a key, a generated value could be guessed. */
function refuseSecrets(): never {
  throw new Error('a generated value is required, but the key to derive it from is missing');
}

/** Returns the custom domains that lead to a single pod, when all pods exist. */
export function ownHostsOf({ workloads }: Pick<Running, 'workloads'>): string[] {
  const hosts = workloads.flatMap(({ workload, subdomain }) =>
    subdomain && workload.ports.length > 0 ? [subdomain.host] : [],
  );
  return [...new Set(hosts)].toSorted();
}

function atSubdomain(pod: PodSpec, spec: AppSpec): Pick<DesiredWorkload, 'subdomain'> {
  const host = subdomainOf(spec, pod);
  return host === undefined ? {} : { subdomain: { host, path: pod.path! } };
}

/**
 * Returns how the readiness of a pod is checked. Public pods are requested with their public host, because many
 * programs refuse other hosts (Django, Rails, the servers of Vite and webpack).
 */
function readinessOf(spec: AppSpec, pod: PodSpec, values: Values): Readiness {
  const { url } = values;
  const { resourceType, healthCheck, servicePorts } = pod;
  if (resourceType === 'job') return { kind: 'exit' };
  if (healthCheck && 'command' in healthCheck) {
    const command = healthCheck.command.map((word) => replaceAll(word, values));
    return { kind: 'command', ...healthCheck, command };
  }
  if (!hasTest(healthCheck)) {
    const options = healthCheck && 'disabled' in healthCheck ? ({ ignoresImage: true } as const) : healthCheck;
    const [port] = servicePorts;
    return port === undefined ? { kind: 'running', ...options } : { kind: 'port', port, ...options };
  }
  const isOfSite = isAtOwnHost(pod, spec) && healthCheck.port === servicePorts[0];
  return { kind: 'http', ...healthCheck, ...(isOfSite && { host: url.host }) };
}
