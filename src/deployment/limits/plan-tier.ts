/** PURE. Plan tiers: the limits of accounts. */
import { printBytes } from '../../config/values/units.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import type { Instant } from '../deployment.ts';
import type { SnapshotTerms } from '../snapshot/snapshot.ts';
import type { Egress } from '../workload/egress.ts';
import type { PodRuntime } from '../workload/workload.ts';
import { type Caps, type Counts, capsOf, countedKinds } from './count-limits.ts';
import type { Amount } from './pod-resources.ts';
import type { PullLimits } from './pull-limits.ts';

export type Tier = {
  name: string;
  /** Maximum number of active deployments. */
  deployments: number;
  /** Total memory that they may reserve, as admission counts it. */
  memoryBytes: number;
  allowsReservations: boolean;
  /** Whether its deployments' owners may run commands in pods; absent: no. */
  allowsExec?: boolean;
  /** The lifetime of a claimed deployment; null: until it is removed. */
  lifetimeMs: number | null;
  /** Explicit limits of containers, volumes and GPUs; see `capsOf` for the defaults. */
  caps?: Partial<Caps>;
  /** Maximum number of custom domains; absent: see `domainsOf`. */
  domains?: number;
  /** Total size of pushed images; absent: see `imageBytesOf`. */
  imageBytes?: number;
  /** Limits of snapshots that differ from the defaults; see `snapshotTermsOf`. */
  snapshots?: Partial<SnapshotTerms>;
  /** Lower limits of images. */
  pulls?: PullLimits;
  /** The egress of its deployments; absent: the general setting. */
  egress?: Egress;
  /** The runtime of its pods on a cluster; absent: the general setting. */
  runtime?: PodRuntime;
};

/** New accounts get the first. */
export type Tiers = readonly [Tier, ...Tier[]];

/** Sums of active deployments: their number, reserved memory, containers, volumes and GPUs. */
export type Usage = { deployments: number; memoryBytes: number } & Counts;

export function usageFrom(deployments: number, { memoryBytes, containers, volumes, gpus }: Amount): Usage {
  return { deployments, memoryBytes, containers, volumes, gpus };
}

/** Returns the tier of an account. An account without a tier, or with a deleted one, has the first. */
export function tierNamed(tiers: Tiers, name: string | null): Tier {
  return tiers.find((tier) => tier.name === name) ?? tiers[0];
}

/** Returns the maximum number of domains. The default allows an apex and its `www` for each deployment. */
export function domainsOf({ domains, deployments }: Tier): number {
  return domains ?? 2 * deployments;
}

/**
 * Returns whether an account may get `requested` in addition to what it has. A limit applies only to resources that
 * increase.
 */
export function planFits(tier: Tier, used: Usage, requested: Usage): Result<undefined> {
  const { name } = tier;
  if (requested.deployments > 0 && used.deployments + requested.deployments > tier.deployments) {
    return refuseByPlan(
      'plan_limit_reached',
      `The plan "${name}" allows ${count(tier.deployments, 'deployment')}; the account has ${used.deployments}` +
        `${requested.deployments > 1 ? `, and this would add ${requested.deployments}` : ''}.`,
      [fewerDeployments],
    );
  }
  if (requested.memoryBytes > 0 && used.memoryBytes + requested.memoryBytes > tier.memoryBytes) {
    return refuseByPlan(
      'plan_limit_reached',
      `The plan "${name}" allows ${printBytes(tier.memoryBytes)} of memory; the account has ` +
        `${printBytes(used.memoryBytes)}, and this would add ${printBytes(requested.memoryBytes)}.`,
      ['reduce resources.requests.memory and resources.limits.memory', fewerDeployments],
    );
  }
  const caps = capsOf(tier);
  for (const kind of countedKinds) {
    if (requested[kind] === 0 || used[kind] + requested[kind] <= caps[kind]) continue;
    const has = `the account has ${used[kind]}, and this would add ${requested[kind]}`;
    const error = `The plan "${name}" allows ${countOf(caps[kind], kind)}; ${has}.`;
    return refuseByPlan('plan_limit_reached', error, ['use fewer of them', fewerDeployments]);
  }
  return succeed(undefined);
}

const fewerDeployments = 'remove a deployment that you no longer need (POST /removeDeploymentReservation)';

/** Returns the refusal of a plan. `remedies`: what the account can do about it. */
export function refuseByPlan(
  code: 'plan_limit_reached' | 'exec_not_allowed',
  error: string,
  remedies: readonly string[] = [],
): Result<never> {
  const hint = [...remedies, 'ask the operator for another plan'].join(', or ');
  return refuse(code, error, `${hint.replace(/^./, (letter) => letter.toUpperCase())}.`);
}

const singular: Record<keyof Counts, string> = { containers: 'container', volumes: 'volume', gpus: 'GPU' };

/** `1 container`, `no GPUs`. */
export function countOf(number: number, kind: keyof Counts): string {
  return number === 0 ? `no ${singular[kind]}s` : count(number, singular[kind]);
}

/** Returns the time limit of a deployment that is claimed at `now`. A claim never shortens it. */
export function limitAt({ lifetimeMs }: Tier, now: Instant, before: Instant | null = now): Instant | null {
  return lifetimeMs === null || before === null ? null : Math.max(now + lifetimeMs, before);
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
