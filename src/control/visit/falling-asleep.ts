/** Sleep: when an unused deployment falls asleep, and what is recorded when it has woken up. */
import type { Deployment, Instant } from '../../deployment/deployment.ts';
import type { Running } from '../../deployment/desired.ts';
import { nextSleep, type SleepStage, staysAwake } from '../../deployment/sleep.ts';
import type { Observed } from '../../deployment/workload/workload.ts';
import { recordUse, wakeDeployment } from '../../store/sleep.ts';
import type { Control, Visit } from '../control.ts';
import { confirmEverywhere } from '../routing.ts';
import type { Journal } from './journal.ts';

/** A deployment and the visit to it. */
export type Visited = { deployment: Deployment; journal: Journal; control: Control; visit: Visit };

/**
 * Puts a healthy deployment to sleep if it is unused for long enough. Returns `asleep`, or when to look again; undefined
 * if it stays awake.
 */
export async function fallAsleep(desired: Running, sleeping: Visited): Promise<'asleep' | Instant | undefined> {
  const { deployment, control } = sleeping;
  const { claimedAt, endpoints, state } = deployment;
  // After a failed update, the owner is likely to be at work.
  if (state !== 'running' || staysAwake(desired, claimedAt !== null) !== undefined) return undefined;
  const canFreeze = control.engine.freezer !== undefined;
  const next = nextSleep(deployment, control.settings.sleep, { canFreeze, isFrozen: false });
  if (!next || next.at > control.now()) return next?.at;
  const open = (await control.underWay?.(endpoints.map(({ address }) => address))) ?? 0;
  if (open === 0) return (await enter(next.stage, sleeping)) ? 'asleep' : undefined;
  await recordUse(control.db, [deployment.id], control.now());
  return control.now() + next.afterMs;
}

/** Stops the pods of a frozen deployment if it is unused for long enough. As `fallAsleep`. */
export async function sleepDeeper(sleeping: Visited): Promise<'asleep' | Instant | undefined> {
  const { deployment, control } = sleeping;
  if (deployment.sleep !== 'frozen') return undefined;
  const next = nextSleep(deployment, control.settings.sleep, { canFreeze: true, isFrozen: true });
  if (!next || next.at > control.now()) return next?.at;
  return (await enter(next.stage, sleeping)) ? 'asleep' : undefined;
}

async function enter(sleep: SleepStage, { deployment, journal, control }: Visited): Promise<boolean> {
  journal.addEvent({ kind: 'sleep', sleep });
  const asleepAt = deployment.asleepAt ?? control.now();
  control.log.info({ deployment: deployment.id, sleep }, 'deployment falls asleep');
  return await journal.record({ sleep, asleepAt });
}

/** Returns whether the deployment falls asleep or wakes. Its operations are then one event in the history. */
export function isNap({ sleep, wakeRequestedAt }: Deployment): boolean {
  return sleep !== null || wakeRequestedAt !== null;
}

/** How long an open request may take to end before it keeps the deployment awake. */
const openRequestMs = 2_000;
const lookEveryMs = 50;

/**
 * Requests wait at the edge from now on; this makes sure that no earlier one is open at a pod. If one is, wakes the
 * deployment up and returns false.
 */
export async function isQuiet({ workloads }: Observed, { deployment, control, visit }: Visited): Promise<boolean> {
  const { underWay, wait, db, now } = control;
  await confirmEverywhere(deployment, { ...control, stop: visit.stop });
  const addresses = workloads.flatMap(({ address }) => address ?? []);
  if (!underWay || addresses.length === 0) return true;
  for (let waitedMs = 0; waitedMs < openRequestMs && !visit.stop.aborted; waitedMs += lookEveryMs) {
    await wait(lookEveryMs, visit.stop);
    if ((await underWay(addresses)) === 0) return true;
  }
  await wakeDeployment(db, deployment.id, now());
  return false;
}

/** Records how long the wake took, once all pods serve again. */
export async function recordWake({ deployment, journal, control }: Omit<Visited, 'visit'>): Promise<void> {
  const { wakeRequestedAt, wakes } = deployment;
  if (wakeRequestedAt === null) return;
  const woken = {
    wakeRequestedAt: null,
    wokeInMs: Math.max(0, Math.round(control.now() - wakeRequestedAt)),
    wakes: wakes + 1,
  };
  Object.assign(deployment, woken);
  journal.addEvent({ kind: 'sleep', sleep: 'awake' });
  control.metrics.wakes.observe(woken.wokeInMs / 1000);
  await journal.record(woken);
}
