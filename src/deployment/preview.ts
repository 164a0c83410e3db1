/**
 * What an update would do to each pod: the plan itself, played to its end on a deployment whose every pod is ready.
 * Pure.
 */
import type { Desired } from './desired.ts';
import type { Operation } from './operation.ts';
import { plan } from './plan.ts';
import type { Endpoint } from './site.ts';
import type { Observed, ObservedWorkload, Workload } from './workload.ts';

type Running = Extract<Desired, { kind: 'running' }>;

export type PodChange = {
  name: string;
  /** `replaced`: the new one is ready before the old one goes. `restarted`: the old one stops first. */
  change: 'added' | 'removed' | 'unchanged' | 'replaced' | 'restarted';
  /** Whether all that it has stored is there afterwards: it stays as it is, or its volumes do. */
  keepsData: boolean;
  /** In words, without a value of the configuration that could be a secret. */
  because: string;
};

/** A plan that has not come to rest by then never will. */
const mostRounds = 500;

/** In the start order of `next`; pods that go come last. Both have the images that their references mean. */
export function previewUpdate(current: Running, next: Running): PodChange[] {
  // What has never served has no route.
  const operations = playOut(next, settled(current), next.hasServed ? endpointsOf(current) : []);
  const names = [...new Set([...next.workloads, ...current.workloads].map(({ workload }) => workload.pod))];
  return names.map((name) => {
    const before = workloadsOf(current, name);
    const after = workloadsOf(next, name);
    const { change, because } = changeOf(operations, before, after);
    return { name, change, keepsData: change === 'unchanged' || keepsVolumes(before, after), because };
  });
}

/** All operations of the update, as the loop would execute them one plan after another. */
function playOut(next: Running, from: Observed, endpoints: Endpoint[]): Operation[] {
  const all: Operation[] = [];
  let observed = from;
  let served = endpoints;
  for (let round = 0; round < mostRounds; round++) {
    // What images mean was found out before, or is found out on the way: it decides nothing here.
    const images = next.workloads.map(({ workload }) => workload.image);
    const operations = plan(next, { ...observed, images, localImages: images }, served);
    if (operations.length === 0) return all;
    for (const operation of operations) {
      observed = afterwards(observed, operation);
      if (operation.kind === 'route') served = [...operation.endpoints];
    }
    all.push(...operations);
  }
  throw new Error('the plan of an update does not come to rest');
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
  return { hasNetwork: true, volumes, images: [], localImages: [], workloads };
}

function ready({ name, pod, revision, replica, fingerprint, readiness }: Workload): ObservedWorkload {
  const phase = readiness.kind === 'exit' ? 'exited' : 'running';
  return { name, pod, revision, replica, fingerprint, phase, isReady: true, address: name, restarts: 0 };
}

function endpointsOf(desired: Running): Endpoint[] {
  return desired.workloads.flatMap(({ path, workload: { name, ports } }) =>
    path === undefined || ports[0] === undefined ? [] : [{ path, address: name, port: ports[0] }],
  );
}

function workloadsOf(desired: Running, pod: string): Workload[] {
  return desired.workloads.map(({ workload }) => workload).filter((workload) => workload.pod === pod);
}

function changeOf(
  operations: readonly Operation[],
  before: readonly Workload[],
  after: readonly Workload[],
): Pick<PodChange, 'change' | 'because'> {
  if (!before[0]) return { change: 'added', because: 'it is new' };
  if (!after[0]) return { change: 'removed', because: 'the configuration no longer has it' };
  const differences = [...replicas(before, after), ...differencesOf(before[0], after[0])];
  const isKept = before[0].fingerprint === after[0].fingerprint;
  if (isKept) return { change: 'unchanged', because: differences.join(', ') || 'nothing of it changes' };
  return { change: stopsFirst(operations, before, after) ? 'restarted' : 'replaced', because: differences.join(', ') };
}

/** Whether one of its old workloads goes before the first new one comes. */
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

/** Volumes outlive every update, also that of a pod that goes; a pod finds its data again under the same name. */
function keepsVolumes([before]: readonly Workload[], [after]: readonly Workload[]): boolean {
  if (!before) return true;
  const found = new Set(after?.volumes.map(({ volume }) => volume));
  return before.volumes.length > 0 && (!after || before.volumes.every(({ volume }) => found.has(volume)));
}

function replicas(before: readonly Workload[], after: readonly Workload[]): string[] {
  return before.length === after.length ? [] : [`${before.length} → ${after.length} replicas`];
}

/** What a fingerprint is made of, in the words of the configuration. */
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
  container: 'how its containers are created',
} as const satisfies Partial<Record<keyof Workload, string>>;

/** Names of variables and paths of files are told; what they hold is not. */
function differencesOf(before: Workload, after: Workload): string[] {
  const plain = Object.entries(fields)
    .filter(([field]) => !isSame(before[field as keyof Workload], after[field as keyof Workload]))
    .map(([field, words]) => (field === 'image' ? `${words} (${before.image} → ${after.image})` : words));
  const isHealthCheck = [before, after].some(({ readiness }) => isChecked(readiness));
  return [
    ...plain,
    ...(isHealthCheck && !isSame(before.readiness, after.readiness) ? ['its health check'] : []),
    ...listed('the variable', changedKeys(before.env, after.env)),
    ...listed('the file', changedKeys(contentsOf(before), contentsOf(after))),
  ];
}

const mostListed = 5;

function listed(word: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > mostListed ? ` and ${names.length - mostListed} more` : '';
  return [`${word}${names.length > 1 ? 's' : ''} ${names.slice(0, mostListed).join(', ')}${more}`];
}

function changedKeys(before: Record<string, string>, after: Record<string, string>): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => before[key] !== after[key]);
}

function contentsOf({ files }: Workload): Record<string, string> {
  return Object.fromEntries(files.map(({ path, content }) => [path, content]));
}

function isChecked(readiness: Workload['readiness']): boolean {
  return readiness.kind === 'http' || readiness.kind === 'command' || 'ignoresImage' in readiness;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
