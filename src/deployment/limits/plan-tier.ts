/** PURE. Plan tiers: what an account may have. */
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
  /** How many active deployments at a time. */
  deployments: number;
  /** What they may be promised in all, counted as admission counts it. */
  memoryBytes: number;
  allowsReservations: boolean;
  /** Whether its deployments' owners may run commands in pods; absent: no. */
  allowsExec?: boolean;
  /** How long a deployment lives once it is claimed; null: until it is removed. */
  lifetimeMs: number | null;
  /** Where it says more than what follows from the number of deployments, see `capsOf`. */
  caps?: Partial<Caps>;
  /** How many custom domains; absent: see `domainsOf`. */
  domains?: number;
  /** What its pushed images may take in all; absent: see `imageBytesOf`. */
  imageBytes?: number;
  /** What it says of snapshots beyond what is usual, see `snapshotTermsOf`. */
  snapshots?: Partial<SnapshotTerms>;
  /** What images may have that its deployments run from, where that is less than what any may have. */
  pulls?: PullLimits;
  /** What its deployments may reach; absent: what those of nobody may. */
  egress?: Egress;
  /** What its pods run in, on a cluster; absent: what those of nobody do. */
  runtime?: PodRuntime;
};

/** New accounts get the first. */
export type Tiers = readonly [Tier, ...Tier[]];

/** What active deployments are together: how many, the memory that they have been promised, and what they consist of. */
export type Usage = { deployments: number; memoryBytes: number } & Counts;

export function usageFrom(deployments: number, { memoryBytes, containers, volumes, gpus }: Amount): Usage {
  return { deployments, memoryBytes, containers, volumes, gpus };
}

/** Accounts whose tier is not set, or is none any more, have the first: they lose nothing but what it does not allow. */
export function tierNamed(tiers: Tiers, name: string | null): Tier {
  return tiers.find((tier) => tier.name === name) ?? tiers[0];
}

/** Without a word on it, an apex and its `www` for each deployment. */
export function domainsOf({ domains, deployments }: Tier): number {
  return domains ?? 2 * deployments;
}

/** Whether an account may have `asked` beside what it has. Who asks for nothing more of something is not refused for it. */
export function planFits(tier: Tier, used: Usage, asked: Usage): Result<undefined> {
  const { name } = tier;
  if (asked.deployments > 0 && used.deployments + asked.deployments > tier.deployments) {
    return refuseByPlan(
      'plan_limit_reached',
      `The plan "${name}" allows ${count(tier.deployments, 'deployment')}; the account has ${used.deployments}` +
        `${asked.deployments > 1 ? `, and this would add ${asked.deployments}` : ''}.`,
      [fewerDeployments],
    );
  }
  if (asked.memoryBytes > 0 && used.memoryBytes + asked.memoryBytes > tier.memoryBytes) {
    return refuseByPlan(
      'plan_limit_reached',
      `The plan "${name}" allows ${printBytes(tier.memoryBytes)} of memory; the account has ` +
        `${printBytes(used.memoryBytes)}, and this would add ${printBytes(asked.memoryBytes)}.`,
      ['reduce resources.requests.memory and resources.limits.memory', fewerDeployments],
    );
  }
  const caps = capsOf(tier);
  for (const kind of countedKinds) {
    if (asked[kind] === 0 || used[kind] + asked[kind] <= caps[kind]) continue;
    const has = `the account has ${used[kind]}, and this would add ${asked[kind]}`;
    const error = `The plan "${name}" allows ${countOf(caps[kind], kind)}; ${has}.`;
    return refuseByPlan('plan_limit_reached', error, ['use fewer of them', fewerDeployments]);
  }
  return succeed(undefined);
}

const fewerDeployments = 'remove a deployment that you no longer need (POST /removeDeploymentReservation)';

/** What an account's plan does not allow. `remedies`: what the account can do about it itself. */
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

/** The time limit of a deployment that is an account's from `now` on. A claim never makes the one it had earlier. */
export function limitAt({ lifetimeMs }: Tier, now: Instant, before: Instant | null = now): Instant | null {
  return lifetimeMs === null || before === null ? null : Math.max(now + lifetimeMs, before);
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
