/** Draining: open requests on replaced workloads get time to complete before the workloads are removed. */
import type { Deployment, Instant } from '../../deployment/deployment.ts';
import { endingAt } from '../../deployment/desired.ts';
import type { Wait } from '../../lib/wait.ts';
import type { Database } from '../../store/database.ts';
import { deploymentById } from '../../store/deployments.ts';

export type Drainer = {
  db: Database;
  now: () => Instant;
  wait: Wait;
  /** Returns the number of open requests at these addresses; absent if the edge does not count them. */
  underWay?: (addresses: readonly string[]) => Promise<number>;
  /** The maximum time of a drain. */
  drainMs: number;
  /** The visit has to end. */
  stop: AbortSignal;
  /** The intent has changed. */
  interrupted: AbortSignal;
  /** Runs work that only waits, without a place of its own. */
  aside?: <T>(work: () => Promise<T>) => Promise<T>;
};

/** A request that was just sent to an old workload is counted within this time (less than 1 ms, measured). */
const lookEveryMs = 50;

/** The maximum if the next update waits: enough for a request, but not for a tunnel. */
const hurriedMs = 2_000;

/** Resolves when no request is open. A removal does not wait. */
export async function drain(deployment: Deployment, addresses: readonly string[], drainer: Drainer): Promise<void> {
  const work = () => untilIdle(deployment, addresses, drainer);
  await (drainer.aside?.(work) ?? work());
}

async function untilIdle(deployment: Deployment, addresses: readonly string[], drainer: Drainer): Promise<void> {
  const { wait, stop, underWay } = drainer;
  // Counts pauses instead of reading the clock, which may be set back.
  for (let waitedMs = 0; waitedMs < (await patienceOf(deployment, drainer)); waitedMs += lookEveryMs) {
    if (stop.aborted) return;
    await wait(lookEveryMs, stop);
    // An unresponsive edge may have open requests.
    const count = await underWay?.(addresses).catch(() => undefined);
    if (count === 0) return;
  }
}

async function patienceOf(deployment: Deployment, { db, now, drainMs, interrupted }: Drainer): Promise<number> {
  const current = interrupted.aborted ? await deploymentById(db, deployment.id) : deployment;
  if (!current || endingAt(current, now())) return 0;
  return interrupted.aborted ? Math.min(hurriedMs, drainMs) : drainMs;
}
