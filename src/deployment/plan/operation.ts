/** Operations: the steps a plan is made of. Each carries its cause; a plan prints as text, and tests compare that text. */
import type { RegistryLogin } from '../../config/spec/spec.ts';
import type { EventOf } from '../event/event.ts';
import { describeOperation } from '../event/event-words.ts';
import type { Endpoint } from '../site.ts';
import { type Egress, printEgress } from '../workload/egress.ts';
import { type PodTargets, printTargets } from '../workload/pod-addresses.ts';
import type { Neighbour, Workload, WorkloadName } from '../workload/workload.ts';

/** Steps that an engine executes. Each one is idempotent: done twice, the second is a no-op. */
export type EngineOperation =
  | { kind: 'create-network'; egress?: Egress; because: string }
  /** Where the host can make one, with a hard limit. */
  | { kind: 'create-volume'; volume: string; sizeBytes: number; because: string }
  /** Of a volume with a hard limit, while it is used; none is ever made smaller. */
  | { kind: 'grow-volume'; volume: string; sizeBytes: number; because: string }
  /** `neighbours`: all of its revision, for engines that write the others' names into a workload as it starts. */
  | { kind: 'start'; workload: Workload; neighbours?: readonly Neighbour[]; because: string }
  /** Ends the workload's processes, and nothing starts it again. An engine that cannot keep a stopped workload removes it. */
  | { kind: 'stop'; name: WorkloadName; because: string }
  /** Stops (with the engine's grace period) and removes. */
  | { kind: 'remove'; name: WorkloadName; because: string }
  | { kind: 'remove-volume'; volume: string; because: string }
  | { kind: 'remove-network'; because: string };

/** Asks the registries, all at once, which images these tags mean now. */
export type TagCheck = { kind: 'check'; images: ImageRequest[]; because: string };

export type ImagePull = { kind: 'pull'; because: string } & ImageRequest;

/** From now on; connections that are there stay. */
export type EgressChange = { kind: 'set-egress'; egress: Egress; because: string };

/** From now on, for new connections; connections that are open stay. */
export type PodTargetsChange = { kind: 'set-pod-targets'; targets: PodTargets; because: string };

export type VolumeSwap = {
  kind: 'swap-volumes';
  volumes: string[];
  restoreId: string;
  filledKey: string;
  snapshotId: string;
  /** Whose volumes they were, where that is another deployment. */
  fromDeploymentId: string | null;
  because: string;
};

export type ImageRequest = { image: string; registryLogin?: RegistryLogin };

/** What a check or a pull has found: the image that a reference means, for the revision that asked. */
export type ResolvedImage = {
  image: string;
  /** Pinned, unless no registry knows the image. */
  reference: string;
  /** `operator`: it is his own, and for everybody; `presence`: nobody could be asked, and it is taken as it is on the host. */
  by: 'registry' | 'pull' | 'operator' | 'presence';
};

export type Operation =
  | Exclude<EngineOperation, { kind: 'remove' | 'start' | 'stop' }>
  /** `avoid`: addresses to which the edge still sends requests that are meant for somebody else. */
  | (Extract<EngineOperation, { kind: 'start' }> & { avoid?: readonly string[] })
  /** Events name the pod, revision and replica; the engine needs only the name. */
  | { kind: 'remove' | 'stop'; name: WorkloadName; pod: string; revision: number; replica: number; because: string }
  | TagCheck
  /** Of an engine with a store of images. */
  | ImagePull
  /** Of an engine with copies of volumes: what was filled for a restore takes the places of volumes that nobody uses. */
  | VolumeSwap
  /** Of an engine with rules around workloads. */
  | EgressChange
  /** Of an engine with pod addresses. */
  | PodTargetsChange
  /** Makes the edge send the public paths to these endpoints, and to nothing else; `revision` then serves as a whole. */
  | { kind: 'route'; endpoints: readonly Endpoint[]; revision?: number; because: string }
  /** Gives requests under way at these addresses, of old workloads, time to end. */
  | { kind: 'drain'; addresses: readonly string[]; because: string };

/** What is told of an operation: nothing of what its workload or its login holds. */
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
    case 'remove': {
      const { name: workload, pod, revision, replica } = operation;
      return { ...common, operation: kind, workload, pod, revision, replica };
    }
    case 'route': {
      const { revision } = operation;
      return {
        ...common,
        operation: kind,
        endpoints: operation.endpoints.map(({ stripPrefix: _, sticky: __, ...endpoint }) => endpoint),
        ...(revision !== undefined && { revision }),
      };
    }
    case 'drain':
      return { ...common, operation: kind, addresses: [...operation.addresses] };
  }
}

/** One line per operation, e.g. `remove web-1-0, expired`. */
export function describePlan(operations: Operation[]): string {
  return operations.map((operation) => describeOperation(eventOf(operation))).join('\n');
}

const preparations: readonly Operation['kind'][] = ['create-network', 'create-volume'];

/**
 * The operations in the order of the plan, those that may run at the same time together: neighbouring removals of the
 * same kind, of which none uses what another removes. Starts stay one after another: measured, that is faster. Asking
 * registries needs nothing of what comes before, and takes up to two seconds: it goes along with the first. So does a pull
 * with the making of a network: nothing that runs waits for it there.
 */
export function batchesOf(operations: Operation[]): Operation[][] {
  const batches: Operation[][] = [];
  for (const operation of operations) {
    const last = batches.at(-1);
    const isRemoval = operation.kind === 'remove' || operation.kind === 'remove-volume';
    const [first] = batches;
    const isFirstPull = operation.kind === 'pull' && !batches.flat().some(({ kind }) => !preparations.includes(kind));
    if (first?.[0]?.kind === 'create-network' && isFirstPull) first.push(operation);
    else if (operation.kind === 'check' && first) first.push(operation);
    else if (isRemoval && last?.[0]?.kind === operation.kind) last.push(operation);
    else batches.push([operation]);
  }
  return batches;
}
