/** Draining: before workloads go that an update has replaced, the requests under way on them get time to end. */
import type { Deployment, Instant } from '../../deployment/deployment.ts';
import { endingAt } from '../../deployment/desired.ts';
import type { Wait } from '../../lib/wait.ts';
import type { Database } from '../../store/database.ts';
import { deploymentById } from '../../store/deployments.ts';

export type Drainer = {
  db: Database;
  now: () => Instant;
  wait: Wait;
  /** How many requests the edge has under way at these addresses; absent where it cannot tell. */
  underWay?: (addresses: readonly string[]) => Promise<number>;
  /** The most time that they get. */
  drainMs: number;
  /** The visit has to end. */
  stop: AbortSignal;
  /** Something newer was asked of the deployment. */
  interrupted: AbortSignal;
  /** Does what only waits, while others may work. */
  aside?: <T>(work: () => Promise<T>) => Promise<T>;
};

/** Also how long a request may need that has just been sent the old way, until it is counted: less than 1 ms, measured. */
const lookEveryMs = 50;

/** When the next update waits: enough for a request, if not for a tunnel. */
const hurriedMs = 2_000;

/** Ends when nothing is under way any more; a removal waits for nothing. */
export async function drain(deployment: Deployment, addresses: readonly string[], drainer: Drainer): Promise<void> {
  const work = () => untilIdle(deployment, addresses, drainer);
  await (drainer.aside?.(work) ?? work());
}

async function untilIdle(deployment: Deployment, addresses: readonly string[], drainer: Drainer): Promise<void> {
  const { wait, stop, underWay } = drainer;
  // Not by the clock, which may be set back meanwhile.
  for (let waitedMs = 0; waitedMs < (await patienceOf(deployment, drainer)); waitedMs += lookEveryMs) {
    if (stop.aborted) return;
    await wait(lookEveryMs, stop);
    // An edge that does not answer may have anything under way.
    const count = await underWay?.(addresses).catch(() => undefined);
    if (count === 0) return;
  }
}

async function patienceOf(deployment: Deployment, { db, now, drainMs, interrupted }: Drainer): Promise<number> {
  const current = interrupted.aborted ? await deploymentById(db, deployment.id) : deployment;
  if (!current || endingAt(current, now())) return 0;
  return interrupted.aborted ? Math.min(hurriedMs, drainMs) : drainMs;
}
