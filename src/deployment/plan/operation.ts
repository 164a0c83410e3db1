/** Operations are the steps of a plan. Each contains its cause. A plan prints as text, and tests compare that text. */
import type { RegistryLogin } from '../../config/spec/spec.ts';
import type { EventOf } from '../event/event.ts';
import { describeOperation } from '../event/event-text.ts';
import type { Endpoint } from '../site.ts';
import { type Egress, printEgress } from '../workload/egress.ts';
import { type PodTargets, printTargets } from '../workload/pod-addresses.ts';
import type { Neighbour, Workload, WorkloadName } from '../workload/workload.ts';

/** Steps that an engine executes. Each step is idempotent. */
export type EngineOperation =
  | { kind: 'create-network'; egress?: Egress; because: string }
  /** The volume has a hard size limit if the host supports it. */
  | { kind: 'create-volume'; volume: string; sizeBytes: number; because: string }
  /** Grows a volume with a hard limit while it is in use. Volumes never shrink. */
  | { kind: 'grow-volume'; volume: string; sizeBytes: number; because: string }
  /** `neighbours`: all workloads of its revision, for engines that write their names into the workload at its start. */
  | { kind: 'start'; workload: Workload; neighbours?: readonly Neighbour[]; because: string }
  /** Ends the workload's processes without a restart. An engine that cannot keep a stopped workload removes it. */
  | { kind: 'stop'; name: WorkloadName; because: string }
  /** Stops (with the engine's grace period) and removes. */
  | { kind: 'remove'; name: WorkloadName; because: string }
  | { kind: 'remove-volume'; volume: string; because: string }
  | { kind: 'remove-network'; because: string };

/** Resolves these tags at their registries, all at the same time. */
export type TagCheck = { kind: 'check'; images: ImageRequest[]; because: string };

export type ImagePull = { kind: 'pull'; because: string } & ImageRequest;

/** Applies to new connections. Open ones stay. */
export type EgressChange = { kind: 'set-egress'; egress: Egress; because: string };

/** Applies to new connections. Open ones stay. */
export type PodTargetsChange = { kind: 'set-pod-targets'; targets: PodTargets; because: string };

/** Suspends the processes of a workload, which keep their memory, or resumes them. */
export type Freezing = {
  kind: 'freeze' | 'thaw';
  name: WorkloadName;
  pod: string;
  revision: number;
  replica: number;
  because: string;
};

export type VolumeSwap = {
  kind: 'swap-volumes';
  volumes: string[];
  restoreId: string;
  filledKey: string;
  snapshotId: string;
  /** The deployment whose volumes are used, if it is another one. */
  fromDeploymentId: string | null;
  because: string;
};

export type ImageRequest = { image: string; registryLogin?: RegistryLogin };

/** The result of a check or a pull: the image of a reference, for one revision. */
export type ResolvedImage = {
  image: string;
  /** Pinned, unless no registry knows the image. */
  reference: string;
  /**
   * `operator`: an image of the operator. `presence`: its registry is unreachable, and the image on the host is used.
   */
  by: 'registry' | 'pull' | 'operator' | 'presence';
};

export type Operation =
  | Exclude<EngineOperation, { kind: 'remove' | 'start' | 'stop' }>
  /** `avoid`: addresses to which an edge may still send requests of other deployments. */
  | (Extract<EngineOperation, { kind: 'start' }> & { avoid?: readonly string[] })
  /** Events name the pod, revision and replica; the engine needs only the name. */
  | { kind: 'remove' | 'stop'; name: WorkloadName; pod: string; revision: number; replica: number; because: string }
  | TagCheck
  /** Only on an engine with the facet `images`. */
  | ImagePull
  /** Only on an engine with the facet `copies`: restored volumes replace unused ones. */
  | VolumeSwap
  /** Only on an engine with the facet `freezer`. */
  | Freezing
  /** Only on an engine with the facet `isolation`. */
  | EgressChange
  /** Only on an engine with the facet `podAddresses`. */
  | PodTargetsChange
  /** Makes the edge send the public paths to exactly these endpoints. `revision` then serves all paths. */
  | { kind: 'route'; endpoints: readonly Endpoint[]; revision?: number; because: string }
  /** Waits for open requests at the addresses of old workloads. */
  | { kind: 'drain'; addresses: readonly string[]; because: string };

/** Returns the event of an operation, without the content of its workload or its login. */
export function eventOf(operation: Operation): EventOf<'operation'> {
  const { kind, because } = operation;
  const common = { kind: 'operation', because } as const;
  switch (kind) {
    case 'create-network':
    case 'remove-network':
      return { ...common, operation: kind };
    case 'set-egress':
      return { ...common, operation: kind, egress: printEgress(operation.egress) };
    case 'set-pod-targets':
      return { ...common, operation: kind, targets: printTargets(operation.targets) };
    case 'create-volume':
    case 'grow-volume':
      return { ...common, operation: kind, volume: operation.volume, sizeBytes: operation.sizeBytes };
    case 'remove-volume':
      return { ...common, operation: kind, volume: operation.volume };
    case 'swap-volumes':
      return { ...common, operation: kind, volumes: operation.volumes };
    case 'check':
      return { ...common, operation: kind, images: operation.images.map(({ image }) => image) };
    case 'pull':
      return { ...common, operation: kind, image: operation.image };
    case 'start': {
      const { name: workload, pod, revision, replica } = operation.workload;
      return { ...common, operation: kind, workload, pod, revision, replica };
    }
    case 'stop':
    case 'freeze':
    case 'thaw':
    case 'remove': {
      const { name: workload, pod, revision, replica } = operation;
      return { ...common, operation: kind, workload, pod, revision, replica };
    }
    case 'route': {
      const { revision } = operation;
      return {
        ...common,
        operation: kind,
        endpoints: operation.endpoints.map(({ stripPrefix: _, sticky: __, isAsleep: ___, ...endpoint }) => endpoint),
        ...(revision !== undefined && { revision }),
      };
    }
    case 'drain':
      return { ...common, operation: kind, addresses: [...operation.addresses] };
  }
}

/** Returns one line per operation, such as `remove web-1-0, expired`. */
export function describePlan(operations: Operation[]): string {
  return operations.map((operation) => describeOperation(eventOf(operation))).join('\n');
}

/** Operations of one of these kinds are independent of each other. */
const concurrentKinds: readonly Operation['kind'][] = ['remove', 'remove-volume', 'freeze', 'thaw'];
const preparations: readonly Operation['kind'][] = ['create-network', 'create-volume'];

/**
 * Returns the operations in the order of the plan, in batches that run concurrently. Adjacent operations of one of
 * the concurrent kinds are one batch. Starts run one after another, which is faster (measured). A tag check
 * takes up to two seconds and is independent, so it joins the first batch. A pull joins the creation of a network,
 * because running workloads do not wait for it.
 */
export function batchesOf(operations: Operation[]): Operation[][] {
  const batches: Operation[][] = [];
  for (const operation of operations) {
    const last = batches.at(-1);
    const isConcurrent = concurrentKinds.includes(operation.kind);
    const [first] = batches;
    const isFirstPull = operation.kind === 'pull' && !batches.flat().some(({ kind }) => !preparations.includes(kind));
    if (first?.[0]?.kind === 'create-network' && isFirstPull) first.push(operation);
    else if (operation.kind === 'check' && first) first.push(operation);
    else if (isConcurrent && last?.[0]?.kind === operation.kind) last.push(operation);
    else batches.push([operation]);
  }
  return batches;
}
