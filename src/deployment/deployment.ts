/** A deployment: an application that someone asked to run. Limits and sessions' rules on it, as pure functions. */
import type { AppSpec } from '../config/spec/spec.ts';
import { type Result, refuse, succeed } from '../lib/problem.ts';
import type { Endpoint } from './site.ts';
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
  /** Two words; with the application's name it is the host. */
  environment: string;
  /** One DNS label; the apps domain follows it. */
  label: string;
  /** The revision asked for. */
  revision: number;
  /** The last revision that became ready; null before the first has. */
  servingRevision: number | null;
  /** Grows with every intent (update, extension, removal): what was decided for an older one is not written. */
  generation: number;
  state: DeploymentState;
  /** 0 to 100. */
  progress: number;
  /** What is to be told beside the state: what keeps it, why it failed, how it ended. */
  explanation: Explanation | null;
  pods: PodStatus[];
  /** The last lines of the pod that made it fail, without the secrets of the configuration; [] otherwise. */
  lastLines: string[];
  /** What the edge serves now. */
  endpoints: Endpoint[];
  /** Custom domains that show one pod alone, whether it is there now or not. */
  ownHosts: string[];
  createdAt: Instant;
  /** When the time limit is reached; null: never (claimed). */
  expiresAt: Instant | null;
  extensionsUsed: number;
  claimedAt: Instant | null;
  /** A hold (a reservation on a paid plan) outlives the time limit. */
  heldAt: Instant | null;
  removedAt: Instant | null;
  /** Its owner wants nothing of it to run since then; its address and its volumes stay. */
  stoppedAt: Instant | null;
  /** Since when the operator has suspended the deployment: its pods are stopped and everything is kept. */
  suspendedAt: Instant | null;
  /** The operator's words, for the owner. */
  suspendedBecause: string | null;
  /** How often its owner has had each pod restarted; none where never. */
  restarts: Readonly<Record<string, number>>;
  /** Of one that has ended: until when its configuration and volumes are kept; null: they are not, or no longer. */
  restorableUntil: Instant | null;
  /** When all but its volumes had left the engine. */
  keptAt: Instant | null;
  /** The time limit that its owner was last warned of. */
  warnedOf: Instant | null;
  /** When the last thing of it had left the engine. */
  goneAt: Instant | null;
  /** When the current state was entered, or its progress last grew. */
  progressedAt: Instant;
};

/** A pod as it was last seen. What the clock makes of it is told by `statusAt`. */
/** Of what has to come: layers that are here already count to neither. As the registry sends it. */
export type PulledBytes = { doneBytes: number; totalBytes: number };

export type PodStatus = {
  name: string;
  /** `degraded`: it was ready since its start, and is not any more. */
  state: (typeof podStates)[number];
  /** The reason why the pod waits, or its problem. */
  message?: string;
  /** How much of its image has come, while it is on its way. */
  pulling?: PulledBytes;
  /** The beginning of what its failing health check answers, without secrets. */
  healthCheckBody?: string;
  /** What it runs from, or will. */
  image: string;
  /** The one that its workload was started for: an update that leaves a pod as it was leaves this too. */
  revision: number;
  /** How often the engine has started it anew after an exit; of all its replicas. */
  restarts: number;
  lastExit?: LastExit;
  /** The last of those that happened while its revision served. */
  restartedAt: Instant[];
  /** How many restarts each replica had when it was last ready in a revision that serves. */
  settledRestarts: number[];
};

/** How a workload ended: in words, e.g. `exited with code 3`, and nothing of what it has written. */
export type LastExit = {
  code: number;
  reason: string;
  /** What its owner can do about that. */
  hint?: string;
  at: Instant;
};

export type Revision = {
  number: number;
  spec: AppSpec;
  /**
   * What the references of its images were found to mean. Each is looked up once: whatever happens to a tag later,
   * every workload of a revision is made from the same image, and so is one that a failed update goes back to.
   */
  images?: Readonly<Record<string, string>>;
};

export type Limits = { lifetimeMs: number; extensionMs: number; extensions: number };

/** One that was just asked for and of which nothing exists yet. */
export function newDeployment(
  asked: Pick<
    Deployment,
    'id' | 'sessionId' | 'applicationName' | 'environment' | 'label' | 'createdAt' | 'expiresAt' | 'claimedAt'
  >,
): Deployment {
  return {
    ...asked,
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
    restarts: {},
    restorableUntil: null,
    keptAt: null,
    warnedOf: null,
    goneAt: null,
    progressedAt: asked.createdAt,
  };
}

/** The sentence of its explanation; the empty text where there is nothing to tell. */
export function messageOf({ explanation }: Pick<Deployment, 'explanation'>): string {
  return describeExplanation(explanation);
}

/** Expiry is a comparison with the clock, not a timer. The time limit waits while the deployment is suspended. */
export function isPastLimit({ expiresAt, heldAt, suspendedAt }: Deployment, now: Instant): boolean {
  return heldAt === null && suspendedAt === null && expiresAt !== null && expiresAt <= now;
}

/** Whether its session may still see and change it. */
export function isActive(deployment: Deployment, now: Instant): boolean {
  return deployment.removedAt === null && deployment.state !== 'expired' && !isPastLimit(deployment, now);
}

export function extensionsRemaining({ extensionsUsed }: Deployment, limits: Limits): number {
  return Math.max(0, limits.extensions - extensionsUsed);
}

export function canExtend(deployment: Deployment, limits: Limits): boolean {
  return deployment.claimedAt === null && extensionsRemaining(deployment, limits) > 0;
}

/** The new time limit; a refusal when it has none or no extension is left. */
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
