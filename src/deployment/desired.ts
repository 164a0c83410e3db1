/** Desired: what should exist for a deployment at an instant, as workloads with everything resolved. */
import { hasTest } from '../config/spec/has-test.ts';
import { type AddressBook, addressBook, aliasesOf } from '../config/spec/pod-addresses.ts';
import { isAtOwnHost, subdomainOf } from '../config/spec/public-hosts.ts';
import type { AppSpec, PodSpec, RouteOptions } from '../config/spec/spec.ts';
import { isPinned } from '../config/values/image-names.ts';
import { replaceScriptlets } from '../config/variables/scriptlets.ts';
import { type Deployment, type Instant, isPastLimit, type Revision } from './deployment.ts';
import { workloadName } from './deployment-names.ts';
import { type DesiredVolume, replicasOf, volumeName, volumesOf } from './desired-volumes.ts';
import { keptUntil } from './grace.ts';
import { startOrder } from './plan/start-order.ts';
import type { Restore } from './snapshot/snapshot.ts';
import { type Derive, generatedValue } from './workload/derived-secrets.ts';
import type { Egress } from './workload/egress.ts';
import { fingerprintOf } from './workload/fingerprint.ts';
import type { PodRuntime, Readiness, Workload } from './workload/workload.ts';

export type Desired =
  /** `keptUntil`: as of `grace.ts`; null: its volumes go too. */
  | { kind: 'gone'; because: 'removed' | 'expired'; keptUntil: Instant | null }
  /** Nothing but its volumes, for as long as its owner wants that. */
  | { kind: 'stopped'; restore?: FilledRestore }
  /** Nothing of it runs. Workloads (for their logs), volumes and network stay. */
  | { kind: 'suspended' }
  | {
      kind: 'running';
      revision: number;
      /** Some revision has become ready before, and may be wanted again. */
      hasServed: boolean;
      /** In start order. */
      workloads: DesiredWorkload[];
      volumes: DesiredVolume[];
      egress: Egress;
      /** What takes the places of volumes before anything that uses them runs. */
      restore?: FilledRestore;
    };

export type Running = Extract<Desired, { kind: 'running' }>;

export type FilledRestore = Pick<Restore, 'id' | 'snapshotId' | 'volumes' | 'fromDeploymentId'> & { filledKey: string };

export type DesiredWorkload = {
  workload: Workload;
  /** The public path that the edge sends to its first port; absent for internal pods. */
  path?: string;
  /** The custom domain at which it is reached by this path, whatever the deployment's other hosts show there. */
  subdomain?: { host: string; path: string };
  /** How requests of these paths are sent on. */
  options: RouteOptions;
  /** Pods that must be ready before it starts. */
  dependsOn: string[];
  /** It shares its volumes with nothing: the old one stops before the new one starts. */
  isExclusive: boolean;
  /** It starts when the replicas before it are ready. */
  isOrdered: boolean;
  /** It is known which image is meant: the reference is pinned, or was looked up for this revision. */
  isImageSettled: boolean;
};

/** The references of all images. */
export function imagesOf(desired: Desired): string[] {
  return desired.kind !== 'running' ? [] : [...new Set(desired.workloads.map(({ workload }) => workload.image))];
}

/** Which revision should run: the one asked for, or, when that has failed, the last that served. */
export function wantedRevision({ state, revision, servingRevision }: Deployment): number {
  return state === 'failed' && servingRevision !== null ? servingRevision : revision;
}

/** Nothing else is wanted than what has failed. */
export function hasFailed(deployment: Deployment): boolean {
  return deployment.state === 'failed' && wantedRevision(deployment) === deployment.revision;
}

/** Why nothing of the deployment should exist at `now`; undefined while it should. */
export function endingAt(deployment: Deployment, now: Instant): 'removed' | 'expired' | undefined {
  if (deployment.removedAt !== null) return 'removed';
  // Its things may be gone already: whatever the clock says by now, nothing brings it back.
  return deployment.state === 'expired' || isPastLimit(deployment, now) ? 'expired' : undefined;
}

/** What a revision is resolved with. */
export type Resolution = {
  now: Instant;
  /** How long the volumes of one that ends are kept. Default: not at all. */
  graceMs?: number;
  /** The deployment's own, as its visitors see it. */
  url: URL;
  /** What its plan lets it reach. It has no default: what nobody has thought of must not be open. */
  egress: Egress;
  /** What its plan has its pods run in; absent: what the engine does. */
  runtime?: PodRuntime | undefined;
  /** Where the values of `<% SECRET … %>` come from; without it, a revision that has one cannot be resolved. */
  derive?: Derive;
};

/** What is left of one of which nothing is to run at `now`: it has ended, or is stopped; undefined of any other. */
export function restOf(
  deployment: Deployment,
  now: Instant,
  graceMs: number,
): Extract<Desired, { kind: 'gone' | 'stopped' | 'suspended' }> | undefined {
  // A suspension goes before removal: the owner may remove the deployment or the account, and the evidence has to stay.
  if (deployment.suspendedAt !== null) return { kind: 'suspended' };
  const because = endingAt(deployment, now);
  if (because) return { kind: 'gone', because, keptUntil: keptUntil(deployment, now, graceMs) };
  return deployment.stoppedAt === null ? undefined : { kind: 'stopped' };
}

/** What should exist at `now`. */
export function desiredAt(deployment: Deployment, revision: Revision, resolution: Resolution): Desired {
  const { now, url, egress, runtime, derive = refuseSecrets, graceMs = 0 } = resolution;
  const rest = restOf(deployment, now, graceMs);
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
      // Those before it in the order are known: it depends on them.
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
  };
}

/** What the scriptlets of a deployment stand for. */
type Values = {
  url: URL;
  registry: string;
  deploymentId: string;
  derive: Derive;
  restarts: Deployment['restarts'];
};

/** As the configuration means it. */
function imageOf({ image }: PodSpec, values: Values): string {
  return replaceAll(image, values).replace(/^\//, '');
}

function isSettled(image: string, images: NonNullable<Revision['images']>): boolean {
  return isPinned(image) || Object.hasOwn(images, image);
}

type Texts = Pick<Workload, 'env' | 'files'> & Partial<Pick<Workload, 'entrypoint' | 'command'>>;

/** What all replicas of a pod share: as much as the whole document, once and not for each of them. */
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
    // A tag that has moved since the last revision makes another fingerprint, and so a new workload.
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
    // One that is restarted is another workload, which takes the place of the first as an update's would.
    ...(restart > 0 && { restart }),
  };
  return {
    ...content,
    name: workloadName(values.deploymentId, pod.name, { revision, replica, restart }),
    revision,
    fingerprint: fingerprintOf(content),
  };
}

/** A label of DNS: of a long name the beginning, and always the number. Clusters know their members by it. */
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

/** Where nothing can be derived from, a value that anybody could guess is worse than none. */
function refuseSecrets(): never {
  throw new Error('a generated value is required, but the key to derive it from is missing');
}

/** The custom domains at which one pod alone is reached, when all are there. */
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
 * A public pod has to answer under the name that its visitors use, and often answers under no other; the others are
 * asked as somebody inside of them would. (Django, Rails and the servers of Vite and webpack refuse unknown names.)
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
