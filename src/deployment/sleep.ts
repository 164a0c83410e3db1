/**
 * PURE. Sleep: unused deployments are frozen (their processes keep their memory and get no processor time) and later
 * stopped (only their volumes stay). The next request wakes them up.
 */
import type { Deployment, Instant } from './deployment.ts';
import type { Running } from './desired.ts';

export const sleepStages = ['frozen', 'stopped'] as const;
export type SleepStage = (typeof sleepStages)[number];

/** In milliseconds without use. 0: never. */
export type SleepPolicy = {
  freezeAfterMs: number;
  /** The same for claimed deployments. */
  freezeClaimedAfterMs: number;
  /** Claimed deployments only: others end before. */
  stopAfterMs: number;
};

/** What a running deployment allows. */
export type Sleeper = Pick<Deployment, 'activeAt' | 'progressedAt' | 'claimedAt'>;

/** The stage that a deployment enters next, after this time without use: at `at`, if it stays unused. */
export type NextSleep = { stage: SleepStage; afterMs: number; at: Instant };

/**
 * Returns the next stage of a deployment; undefined if it stays as it is. `canFreeze`: whether the engine can suspend
 * processes. Without that, claimed deployments are stopped after `stopAfterMs`, and others run until they end.
 */
export function nextSleep(
  { activeAt, progressedAt, claimedAt }: Sleeper,
  policy: SleepPolicy,
  { canFreeze, isFrozen }: { canFreeze: boolean; isFrozen: boolean },
): NextSleep | undefined {
  const usedAt = Math.max(activeAt ?? 0, progressedAt);
  const after = (afterMs: number, stage: SleepStage) => ({ stage, afterMs, at: usedAt + afterMs });
  const isClaimed = claimedAt !== null;
  const freezeMs = isClaimed ? policy.freezeClaimedAfterMs : policy.freezeAfterMs;
  if (canFreeze && !isFrozen && freezeMs > 0) return after(freezeMs, 'frozen');
  if (isClaimed && policy.stopAfterMs > 0) return after(policy.stopAfterMs, 'stopped');
  return undefined;
}

/**
 * Returns why a deployment must stay awake; undefined if it may sleep. Only requests wake a deployment, so one without
 * a public path never sleeps. Claimed deployments also stay awake if they say so, or if they do work without requests.
 */
export function staysAwake(
  { workloads, sleep }: Pick<Running, 'workloads' | 'sleep'>,
  isClaimed: boolean,
): 'no-route' | 'configured' | 'worker' | undefined {
  if (!workloads.some(({ path, subdomain }) => path !== undefined || subdomain !== undefined)) return 'no-route';
  if (!isClaimed) return undefined;
  if (sleep === false) return 'configured';
  const isWorker = ({ workload: { ports, readiness } }: Running['workloads'][number]) =>
    ports.length === 0 && readiness.kind !== 'exit';
  return workloads.some(isWorker) ? 'worker' : undefined;
}
