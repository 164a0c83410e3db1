/** A deployment: an application that a user has started. Its limits are pure functions. */
import type { AppSpec } from '../config/spec/spec.ts';
import { type Result, refuse, succeed } from '../lib/problem.ts';
import type { Endpoint } from './site.ts';
import type { SleepStage } from './sleep.ts';
import { describeExplanation, type Explanation } from './status/reason.ts';

/** Milliseconds since 1970, UTC. */
export type Instant = number;

export const deploymentStates = ['deploying', 'running', 'failed', 'expired'] as const;
export type DeploymentState = (typeof deploymentStates)[number];

export const podStates = ['waiting', 'starting', 'ready', 'degraded', 'failed'] as const;

export type Deployment = {
  id: string;
  sessionId: string;
  applicationName: string;
  /** Two words; the host consists of them and the application's name. */
  environment: string;
  /** One DNS label; the apps domain follows it. */
  label: string;
  /** The latest revision that its owner has sent. */
  revision: number;
  /** The last revision that became ready. Null if none has. */
  servingRevision: number | null;
  /** Increases with every intent (update, extension, removal). Results for an older generation are not written. */
  generation: number;
  state: DeploymentState;
  /** 0 to 100. */
  progress: number;
  /** Details of the state: why it is delayed, why it failed, how it ended. */
  explanation: Explanation | null;
  pods: PodStatus[];
  /** The last log lines of the failed pod, without secrets. Empty otherwise. */
  lastLines: string[];
  /** The endpoints that the edge serves now. */
  endpoints: Endpoint[];
  /** Custom domains that lead to a single pod, whether that pod exists now or not. */
  ownHosts: string[];
  createdAt: Instant;
  /** The time limit. Null for a claimed deployment, which never expires. */
  expiresAt: Instant | null;
  extensionsUsed: number;
  claimedAt: Instant | null;
  /** The start of a hold (a reservation on a paid plan). A held deployment outlives its time limit. */
  heldAt: Instant | null;
  removedAt: Instant | null;
  /** When its owner stopped it. Its address and volumes stay. */
  stoppedAt: Instant | null;
  /** When the operator suspended it. Its pods are stopped and all data is kept. */
  suspendedAt: Instant | null;
  /** The operator's words, for the owner. */
  suspendedBecause: string | null;
  /** When it was last used, to the minute; null: not since its start. */
  activeAt: Instant | null;
  /** Null: it is awake, or wakes up. */
  sleep: SleepStage | null;
  asleepAt: Instant | null;
  /** When a request woke it up, until its pods serve again. */
  wakeRequestedAt: Instant | null;
  /** How long its last wake took, in milliseconds. */
  wokeInMs: number | null;
  /** How often it has woken up. */
  wakes: number;
  /** The number of restarts by the owner for each pod. Pods without restarts are missing. */
  restarts: Readonly<Record<string, number>>;
  /** The time until which the configuration and volumes of an ended deployment are kept. Null if they are not kept. */
  restorableUntil: Instant | null;
  /** When all objects except volumes had been removed from the engine. */
  keptAt: Instant | null;
  /** The time limit in the last warning to its owner. */
  warnedOf: Instant | null;
  /** When the last object had been removed from the engine. */
  goneAt: Instant | null;
  /** When the current state began, or its progress last increased. */
  progressedAt: Instant;
};

/** Progress of a pull, in compressed bytes. Layers that are already on the host count to neither number. */
export type PulledBytes = { doneBytes: number; totalBytes: number };

/** A pod at its last observation. `statusAt` computes the parts that depend on the clock. */
export type PodStatus = {
  name: string;
  /** `degraded`: it was ready after its start and no longer is. */
  state: (typeof podStates)[number];
  /** The reason why the pod waits, or its problem. */
  message?: string;
  /** While its image is pulled. */
  pulling?: PulledBytes;
  /** The beginning of the response to its failing health check, without secrets. */
  healthCheckBody?: string;
  /** The image that it runs or will run. */
  image: string;
  /** The revision that started its workload. An update that does not change the pod does not change this. */
  revision: number;
  /** How often the engine has restarted it after an exit, in all replicas. */
  restarts: number;
  lastExit?: LastExit;
  /** The latest restarts while its revision served. */
  restartedAt: Instant[];
  /** The number of restarts of each replica when it was last ready in a serving revision. */
  settledRestarts: number[];
};

/** The exit of a workload. `reason` is, for example, `exited with code 3`, and contains none of its output. */
export type LastExit = {
  code: number;
  reason: string;
  /** How the owner can fix it. */
  hint?: string;
  at: Instant;
};

export type Revision = {
  number: number;
  spec: AppSpec;
  /**
   * The digests of its image references. Each reference is resolved once. If a tag changes later, all workloads of the
   * revision still use the same image, also after a failed update.
   */
  images?: Readonly<Record<string, string>>;
};

export type Limits = { lifetimeMs: number; extensionMs: number; extensions: number };

/** Returns a new deployment without any objects. */
export function newDeployment(
  requested: Pick<
    Deployment,
    'id' | 'sessionId' | 'applicationName' | 'environment' | 'label' | 'createdAt' | 'expiresAt' | 'claimedAt'
  >,
): Deployment {
  return {
    ...requested,
    revision: 1,
    servingRevision: null,
    generation: 1,
    state: 'deploying',
    progress: 0,
    explanation: null,
    pods: [],
    lastLines: [],
    endpoints: [],
    ownHosts: [],
    extensionsUsed: 0,
    heldAt: null,
    removedAt: null,
    stoppedAt: null,
    suspendedAt: null,
    suspendedBecause: null,
    activeAt: null,
    sleep: null,
    asleepAt: null,
    wakeRequestedAt: null,
    wokeInMs: null,
    wakes: 0,
    restarts: {},
    restorableUntil: null,
    keptAt: null,
    warnedOf: null,
    goneAt: null,
    progressedAt: requested.createdAt,
  };
}

/** Returns the explanation as a sentence; empty without an explanation. */
export function messageOf({ explanation }: Pick<Deployment, 'explanation'>): string {
  return describeExplanation(explanation);
}

/** Returns whether the time limit has passed. A suspension pauses the time limit. */
export function isPastLimit({ expiresAt, heldAt, suspendedAt }: Deployment, now: Instant): boolean {
  return heldAt === null && suspendedAt === null && expiresAt !== null && expiresAt <= now;
}

/** Returns whether its session may still read and change it. */
export function isActive(deployment: Deployment, now: Instant): boolean {
  return deployment.removedAt === null && deployment.state !== 'expired' && !isPastLimit(deployment, now);
}

export function extensionsRemaining({ extensionsUsed }: Deployment, limits: Limits): number {
  return Math.max(0, limits.extensions - extensionsUsed);
}

export function canExtend(deployment: Deployment, limits: Limits): boolean {
  return deployment.claimedAt === null && extensionsRemaining(deployment, limits) > 0;
}

/** Returns the new time limit, or a refusal if it has no time limit or no extensions left. */
export function extend(deployment: Deployment, limits: Limits): Result<{ expiresAt: Instant; remaining: number }> {
  const { applicationName: name, expiresAt } = deployment;
  if (deployment.claimedAt !== null || expiresAt === null) {
    return expiresAt === null
      ? refuse('already_claimed', `Application ${name} is claimed and does not expire.`, 'It needs no extension.')
      : refuse('already_claimed', `Application ${name} is claimed: the plan of its account sets its time limit.`);
  }
  if (!canExtend(deployment, limits)) {
    return refuse(
      'extension_limit_reached',
      `Application ${name} has no extensions left.`,
      'Claim the deployment to keep it, or start a new one.',
    );
  }
  return succeed({ expiresAt: expiresAt + limits.extensionMs, remaining: extensionsRemaining(deployment, limits) - 1 });
}
