/** PURE. Translates the cluster's report on a workload and its pods. */
import { printBytes } from '../../config/values/units.ts';
import type { Instant } from '../../deployment/deployment.ts';
import { type Ended, exitReason } from '../readiness/container-state.ts';
import { copyKey } from './manifests/marks.ts';
import type { ContainerStatus, FoundController, FoundPod, Terminated } from './objects.ts';
import { amountOf, bytesOf } from './quantities.ts';

/** An external problem that keeps a workload from running, or a problem that looks external. */
export type Obstacle = {
  words: string;
  hint?: string;
  /** What its node lacks. */
  lacks?: 'image' | 'seccomp-profile';
};

export type PodFacts = {
  /** Created: it was scaled to zero. */
  phase: 'running' | 'exited' | 'created';
  /** The pod that runs or is going to run. */
  pod?: { name: string; uid: string; address?: string; startedAt?: Instant };
  restarts: number;
  lastExit?: Ended;
  /** Whether it is not running because it has ended. */
  hasEnded: boolean;
  obstacle?: Obstacle;
};

/** `pods`: those of the workload, in any order. A cluster restarts ended pods. A job without retries left has ended. */
export function podFacts(controller: FoundController, pods: readonly FoundPod[], isJob: boolean): PodFacts {
  const living = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).toSorted(byAge);
  const current = living.at(-1);
  const container = current?.status?.containerStatuses?.[0];
  const lastExit = living.flatMap((pod, index) => evictionOf(pod, living[index + 1]) ?? exitOf(pod) ?? []).at(-1);
  const isGivenUp = has(controller, 'Failed');
  // Its pod reports the end before the job does.
  const isOver = isJob && (isGivenUp || has(controller, 'Complete') || lastExit?.code === 0);
  const obstacle = current && obstacleOf(current, container);
  const isRunning = container?.state?.running !== undefined;
  const startedAt = container?.state?.running?.startedAt;
  return {
    phase: isOver ? 'exited' : isScaledDown(controller) ? 'created' : 'running',
    ...(current && {
      pod: {
        name: current.metadata.name,
        uid: current.metadata.uid,
        ...(isRunning && current.status?.podIP !== undefined && { address: current.status.podIP }),
        ...(startedAt !== undefined && { startedAt: Date.parse(startedAt) }),
      },
    }),
    restarts: isJob ? triesBefore(controller, isGivenUp) + restartsInPlace(living) : restartsOf(living),
    ...(lastExit && { lastExit }),
    hasEnded: isOver || (!isRunning && lastExit !== undefined && (isJob || container?.lastState !== undefined)),
    ...(obstacle && { obstacle }),
  };
}

/** And not by us, for a copy of its volumes. */
function isScaledDown({ metadata, spec }: FoundController): boolean {
  return spec?.replicas === 0 && metadata.labels?.[copyKey] === undefined;
}

/** Includes evicted pods, each of which had a successor. */
function restartsOf(pods: readonly FoundPod[]): number {
  return restartsInPlace(pods) + pods.slice(0, -1).filter(evictedFor).length;
}

function restartsInPlace(pods: readonly FoundPod[]): number {
  return pods.at(-1)?.status?.containerStatuses?.[0]?.restartCount ?? 0;
}

/** Each attempt of a job is a pod. Counts the failed ones. */
function triesBefore({ status }: FoundController, isGivenUp: boolean): number {
  const failed = status?.failed ?? 0;
  return isGivenUp ? Math.max(0, failed - 1) : failed;
}

function has({ status }: FoundController, type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}

function byAge(one: FoundPod, other: FoundPod): number {
  return Date.parse(one.metadata.creationTimestamp) - Date.parse(other.metadata.creationTimestamp);
}

/** Returns the last exit of the container. */
function exitOf(pod: FoundPod): PodFacts['lastExit'] {
  const container = pod.status?.containerStatuses?.[0];
  const ended: Terminated | undefined = container?.state?.terminated ?? container?.lastState?.terminated;
  if (!ended) return undefined;
  return {
    code: isNeverStarted(ended) ? neverStartedCode(ended) : ended.exitCode,
    isOutOfMemory: ended.reason === 'OOMKilled',
    memoryBytes: bytesOf(pod.spec?.containers?.[0]?.resources?.limits?.memory) ?? 0,
    at: Date.parse(ended.finishedAt ?? '') || 0,
  };
}

/** The only date of an eviction is the creation of the next pod. */
function evictionOf(pod: FoundPod, successor: FoundPod | undefined): PodFacts['lastExit'] {
  const reason = evictedFor(pod);
  if (!reason || !successor) return undefined;
  const at = Date.parse(successor.metadata.creationTimestamp);
  return { code: 137, isOutOfMemory: false, memoryBytes: 0, evictedFor: reason, at };
}

function evictedFor({ status }: FoundPod): Ended['evictedFor'] {
  if (status?.reason !== 'Evicted') return undefined;
  return /ephemeral|storage|disk/i.test(status.message ?? '') ? 'disk' : 'memory';
}

/** The runtime could not start its program at all: that is an obstacle too. */
function isNeverStarted({ reason }: Terminated): boolean {
  return reason === 'StartError' || reason === 'ContainerCannotRun';
}

/** Returns the exit code of a shell, because the runtime's own code is 128 in all cases. */
function neverStartedCode({ message = '', exitCode }: Terminated): number {
  if (/executable file not found|no such file or directory/i.test(message)) return 127;
  return /permission denied/i.test(message) ? 126 : exitCode;
}

function obstacleOf(pod: FoundPod, container: ContainerStatus | undefined): Obstacle | undefined {
  const { status } = pod;
  const reason = evictedFor(pod);
  if (reason) return exitReason({ code: 137, isOutOfMemory: false, memoryBytes: 0, evictedFor: reason });
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False') return unschedulable(scheduled.message ?? '', pod);
  const ended = container?.state?.terminated ?? container?.lastState?.terminated;
  if (ended && isNeverStarted(ended)) return notStartable(ended.message ?? '');
  const waiting = container?.state?.waiting;
  if (waiting) return waitingFor(waiting.reason ?? '', waiting.message ?? '');
  return container ? undefined : { words: 'is on its way to a node' };
}

/** `0/3 nodes are available: 1 node(s) had taints …, 2 Insufficient memory.` */
function unschedulable(message: string, pod: FoundPod): Obstacle {
  const hint = 'the operator has to make room';
  if (
    /unbound immediate PersistentVolumeClaims|volume node affinity|didn't find available persistent volumes|persistentvolumeclaim/i.test(
      message,
    )
  )
    return {
      words: 'its volume cannot be bound: the cluster has none for it',
      hint: 'the operator has to look at the storage class',
    };
  const short = (['memory', 'cpu', 'ephemeral-storage', 'pods', 'nvidia.com/gpu'] as const).filter((resource) =>
    new RegExp(`(Insufficient|Too many) ${resource}`, 'i').test(message),
  );
  const { requests = {} } = pod.spec?.containers?.[0]?.resources ?? {};
  if (short.length > 0)
    return { words: `no node has ${short.map((each) => wantedOf(each, requests)).join(' and ')} free`, hint };
  return { words: 'no node takes it', hint: 'the operator has to look at the nodes' };
}

function wantedOf(
  resource: 'memory' | 'cpu' | 'ephemeral-storage' | 'pods' | 'nvidia.com/gpu',
  { memory, cpu }: { memory?: string; cpu?: string },
): string {
  switch (resource) {
    case 'memory':
      return `${printBytes(bytesOf(memory) ?? 0)} of memory`;
    case 'cpu':
      return processors(amountOf(cpu) ?? 0);
    case 'ephemeral-storage':
      return 'enough disk';
    case 'pods':
      return 'room for one more pod';
    case 'nvidia.com/gpu':
      return 'a GPU';
  }
}

function processors(count: number): string {
  return count > 1 ? `${count} processors` : `${count} of a processor`;
}

function waitingFor(reason: string, message: string): Obstacle | undefined {
  switch (reason) {
    case 'ContainerCreating':
    case 'PodInitializing':
      return { words: 'is being created' };
    case 'ErrImagePull':
    case 'ImagePullBackOff':
    case 'InvalidImageName':
    case 'ErrImageNeverPull':
    case 'RegistryUnavailable':
    case 'ImageInspectError':
      return {
        words: 'its image cannot be pulled by the node',
        hint: 'look at the name of the image',
        lacks: 'image',
      };
    case 'CreateContainerConfigError':
      return /secret .* not found/i.test(message)
        ? { words: 'is being created' }
        : { words: `cannot be created: ${excerpt(message)}` };
    case 'CreateContainerError':
    case 'RunContainerError':
      return /seccomp profile/i.test(message) ? withoutProfile : notStartable(message);
    default:
      return undefined;
  }
}

const withoutProfile: Obstacle = {
  words: 'cannot be started: its node does not have the seccomp profile of builders',
  hint: 'the operator has to install it, as "Build images" of the guide "Run on Kubernetes" describes',
  lacks: 'seccomp-profile',
};

function notStartable(message: string): Obstacle {
  if (/executable file not found|no such file or directory/i.test(message))
    return {
      words: 'cannot be started: its image does not contain this program',
      hint: 'check its command and entrypoint',
    };
  if (/permission denied/i.test(message))
    return { words: 'cannot be started: its program may not be executed', hint: 'check its command and entrypoint' };
  if (/not a directory|is a directory/i.test(message))
    return {
      words: 'one of its files or volumes has the path of a directory of the image, or a directory that of a file',
    };
  return { words: 'cannot be started by its node', hint: 'check its command, user and working directory' };
}

/** The beginning of the node's message, without the node's paths. */
function excerpt(message: string): string {
  return message.replaceAll(/\/(var|run)\/\S*/g, '…').slice(0, 200);
}
