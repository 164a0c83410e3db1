/**
 * PURE. The effect of an update on each pod: simulates all plans of the update on a deployment whose pods are all
 * ready.
 */
import type { AppSpec, ContainerOptions } from '../../config/spec/spec.ts';
import type { Running } from '../desired.ts';
import type { Operation } from '../plan/operation.ts';
import { plan } from '../plan/plan.ts';
import type { Endpoint } from '../site.ts';
import type { Observed, ObservedWorkload, Workload } from '../workload/workload.ts';
import { growthMessage, type UpdateWarning, type VolumeChange, volumeChanges, warningsOf } from './preview-warnings.ts';

export const podChanges = [
  ...(['added', 'removed', 'unchanged', 'replaced', 'restarted'] as const),
  ...(['scaled', 'grown', 'rerouted'] as const),
] as const;

/** A revision, as configured and as resolved. */
export type PreviewedRevision = { spec: AppSpec; desired: Running };

export type PodChange = {
  name: string;
  /**
   * `replaced`: the new workload is ready before the old one stops. `restarted`: the old one stops first. Running
   * workloads stay if a pod is `scaled` (more or fewer replicas), `grown` (a larger volume) or `rerouted` (another
   * public path).
   */
  change: (typeof podChanges)[number];
  /** Whether all its stored data exists afterwards: the workload or its volumes stay. */
  keepsData: boolean;
  volumes: VolumeChange[];
  /** The reason, without values of the configuration, because they may be secret. */
  because: string;
  warnings: UpdateWarning[];
};

export type UpdatePreview = {
  pods: PodChange[];
  /** Public paths that are unavailable during the update. */
  interrupted: string[];
};

/** A simulation with more rounds does not end. */
const maxRounds = 500;

/** Returns the pods in the start order of `next`; removed pods come last. Both revisions have resolved images. */
export function previewUpdate(before: PreviewedRevision, after: PreviewedRevision): UpdatePreview {
  const [current, next] = [before.desired, after.desired];
  // A deployment that has never served has no routes.
  const endpoints = next.hasServed ? endpointsOf(current) : [];
  const operations = playOut(next, settled(current), endpoints);
  const names = [...new Set([...next.workloads, ...current.workloads].map(({ workload }) => workload.pod))];
  const pods = names.map((name): PodChange => {
    const volumes = volumeChanges(current, next, name);
    const [old] = workloadsOf(current, name);
    const [young] = workloadsOf(next, name);
    const { change, because } = changeOf({ name, before, after, operations, volumes });
    const keepsData = staying.has(change) || keepsVolumes(old, young);
    return { name, change, keepsData, volumes, because, warnings: warningsFor(name, before, after, volumes) };
  });
  const stays = new Set(next.workloads.flatMap(({ path }) => path ?? []));
  const lost = operations.flatMap((operation) => {
    if (operation.kind !== 'route' || operation.revision !== undefined) return [];
    const served = new Set(operation.endpoints.map(({ path }) => path));
    return endpoints.filter(({ path }) => !served.has(path)).map(({ path }) => path);
  });
  return { pods, interrupted: [...new Set(lost)].filter((path) => stays.has(path)) };
}

/** The running workloads of the pod stay. */
const staying: ReadonlySet<PodChange['change']> = new Set(['unchanged', 'scaled', 'grown', 'rerouted']);

function warningsFor(
  name: string,
  before: PreviewedRevision,
  after: PreviewedRevision,
  volumes: readonly VolumeChange[],
): UpdateWarning[] {
  const [old, young] = [before, after].map(({ spec, desired }) => {
    const pod = spec.pods.find((one) => one.name === name);
    const [workload] = workloadsOf(desired, name);
    return pod && workload && { spec: pod, workload };
  });
  return old && young ? warningsOf(old, young, volumes) : [];
}

/** Returns all operations of the update, as the loop would execute them. */
function playOut(next: Running, from: Observed, endpoints: Endpoint[]): Operation[] {
  const all: Operation[] = [];
  let observed = from;
  let served = endpoints;
  for (let round = 0; round < maxRounds; round++) {
    // Tag checks change nothing here.
    const images = next.workloads.map(({ workload }) => workload.image);
    const operations = plan(next, { ...observed, images: { present: images, local: images } }, served);
    if (operations.length === 0) return all;
    for (const operation of operations) {
      observed = afterwards(observed, operation);
      if (operation.kind === 'route') served = [...operation.endpoints];
    }
    all.push(...operations);
  }
  throw new Error('the plan of an update does not converge');
}

function afterwards(observed: Observed, operation: Operation): Observed {
  switch (operation.kind) {
    case 'create-volume':
      return { ...observed, volumes: [...observed.volumes, operation.volume] };
    case 'start': {
      const others = observed.workloads.filter(({ name }) => name !== operation.workload.name);
      return { ...observed, workloads: [...others, ready(operation.workload)] };
    }
    case 'remove':
      return { ...observed, workloads: observed.workloads.filter(({ name }) => name !== operation.name) };
    default:
      return observed;
  }
}

function settled(desired: Running): Observed {
  const workloads = desired.workloads.map(({ workload }) => ready(workload));
  const volumes = desired.volumes.map(({ volume }) => volume);
  return { hasNetwork: true, volumes, workloads };
}

function ready({ name, pod, revision, replica, fingerprint, readiness }: Workload): ObservedWorkload {
  const phase = readiness.kind === 'exit' ? 'exited' : 'running';
  return { name, pod, revision, replica, fingerprint, phase, isReady: true, address: name, restarts: 0 };
}

function endpointsOf(desired: Running): Endpoint[] {
  return desired.workloads.flatMap(({ path, options, workload: { name, ports } }) =>
    path === undefined || ports[0] === undefined ? [] : [{ path, address: name, port: ports[0], ...options }],
  );
}

function workloadsOf(desired: Running, pod: string): Workload[] {
  return desired.workloads.map(({ workload }) => workload).filter((workload) => workload.pod === pod);
}

type Comparison = {
  name: string;
  before: PreviewedRevision;
  after: PreviewedRevision;
  operations: readonly Operation[];
  volumes: readonly VolumeChange[];
};

function changeOf(comparison: Comparison): Pick<PodChange, 'change' | 'because'> {
  const { name, operations, volumes } = comparison;
  const [current, next] = [comparison.before.desired, comparison.after.desired];
  const [before, after] = [workloadsOf(current, name), workloadsOf(next, name)];
  const [image, nextImage] = [comparison.before, comparison.after].map(({ spec }) => imageIn(spec, name));
  const images = image === nextImage ? `another ${image}` : `${image} → ${nextImage}`;
  if (!before[0]) return { change: 'added', because: 'it is new' };
  if (!after[0]) return { change: 'removed', because: 'it is no longer in the configuration' };
  const scaling = replicas(before, after);
  const growth = growthMessage(volumes);
  const rerouting = reroutes(pathOf(current, name), pathOf(next, name));
  const differences = [...scaling, ...differencesOf(before[0], after[0], images), ...growth, ...rerouting];
  const because = differences.join(', ') || 'nothing changes';
  if (before[0].fingerprint !== after[0].fingerprint)
    return { change: stopsFirst(operations, before, after) ? 'restarted' : 'replaced', because };
  const change = scaling[0] ? 'scaled' : growth[0] ? 'grown' : rerouting[0] ? 'rerouted' : 'unchanged';
  return { change, because };
}

/** Shows the image as written, because a digest means less to people. */
function imageIn({ pods }: AppSpec, pod: string): string {
  return pods.find(({ name }) => name === pod)?.image ?? '';
}

function pathOf(desired: Running, pod: string): string | undefined {
  const found = desired.workloads.find(({ workload }) => workload.pod === pod);
  const paths = [found?.path, found?.subdomain && `${found.subdomain.host}${found.subdomain.path}`];
  const written = paths.filter((path) => path !== undefined).join(' and ');
  return written === '' ? undefined : [written, ...Object.keys(found?.options ?? {})].join(', ');
}

function reroutes(before: string | undefined, after: string | undefined): string[] {
  return before === after ? [] : [`its public path (${before ?? 'none'} → ${after ?? 'none'})`];
}

/** Returns whether an old workload is removed before the first new one starts. */
function stopsFirst(
  operations: readonly Operation[],
  before: readonly Workload[],
  after: readonly Workload[],
): boolean {
  const start = operations.findIndex(
    (operation) => operation.kind === 'start' && operation.workload.pod === after[0]!.pod,
  );
  const names = before.map(({ name }) => name);
  return operations.slice(0, start).some((operation) => operation.kind === 'remove' && names.includes(operation.name));
}

/** Volumes survive every update, even if their pod is removed. A pod with the same name finds its data again. */
function keepsVolumes(before: Workload | undefined, after: Workload | undefined): boolean {
  if (!before) return true;
  const found = new Set(after?.volumes.map(({ volume }) => volume));
  return before.volumes.length > 0 && (!after || before.volumes.every(({ volume }) => found.has(volume)));
}

function replicas(before: readonly Workload[], after: readonly Workload[]): string[] {
  return before.length === after.length ? [] : [`${before.length} → ${after.length} replicas`];
}

/** The fields of a fingerprint, with their names in the configuration. */
const fields = {
  image: 'its image',
  registryLogin: 'the registry login',
  entrypoint: 'its entrypoint',
  command: 'its command',
  workingDir: 'its working directory',
  user: 'its user',
  volumes: 'its volumes',
  ports: 'its ports',
  aliases: 'its names',
  resources: 'its resources',
  useGPU: 'its use of a GPU',
  restartsWith: 'a pod that it restarts with',
} as const satisfies Partial<Record<keyof Workload, string>>;

/** Further options of its containers. */
const options = {
  shmBytes: 'its shmSize',
  tmpfs: 'its tmpfs',
  readOnly: 'readOnly',
  stopSignal: 'its stopSignal',
  mayEnd: 'whether it may end',
  hostname: 'its hostname',
  domainname: 'its domainname',
  stopGraceSeconds: 'its stopGraceSeconds',
  ulimits: 'its ulimits',
  groups: 'its groups',
  extraHosts: 'its extraHosts',
  sysctls: 'its sysctls',
} as const satisfies Record<keyof ContainerOptions, string>;

/** Shows names of variables and paths of files, but not their content. */
function differencesOf(before: Workload, after: Workload, images: string): string[] {
  const plain = Object.entries(fields)
    .filter(([field]) => !isSame(before[field as keyof Workload], after[field as keyof Workload]))
    .map(([field, words]) => (field === 'image' ? `${words} (${images})` : words));
  const ofContainer = Object.entries(options)
    .filter(([option]) => {
      const [old, next] = [before, after].map(({ container }) => container?.[option as keyof ContainerOptions]);
      return !isSame(old, next);
    })
    .map(([, words]) => words);
  const isHealthCheck = [before, after].some(({ readiness }) => isChecked(readiness));
  return [
    ...plain,
    ...ofContainer,
    ...(isHealthCheck && !isSame(before.readiness, after.readiness) ? ['its health check'] : []),
    ...listed('the variable', changedKeys(before.env, after.env)),
    ...listed('the file', changedKeys(contentsOf(before), contentsOf(after))),
  ];
}

const maxListed = 5;

function listed(word: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > maxListed ? ` and ${names.length - maxListed} more` : '';
  return [`${word}${names.length > 1 ? 's' : ''} ${names.slice(0, maxListed).join(', ')}${more}`];
}

function changedKeys(before: Record<string, string>, after: Record<string, string>): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => before[key] !== after[key]);
}

function contentsOf({ files }: Workload): Record<string, string> {
  return Object.fromEntries(files.map(({ path, ...file }) => [path, JSON.stringify(file)]));
}

function isChecked(readiness: Workload['readiness']): boolean {
  return readiness.kind === 'http' || readiness.kind === 'command' || 'ignoresImage' in readiness;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
