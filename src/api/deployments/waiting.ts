/** Waiting for a deployment to arrive somewhere, so that its owner need not ask again and again. */
import type { Deployment, Instant } from '../../deployment/deployment.ts';
import { endingAt } from '../../deployment/desired.ts';
import type { Wait } from '../../lib/wait.ts';

/** The longest silence that the edge and most other proxies allow. */
export const longestWaitSeconds = 120;

/** An indexed query of 0.1 ms: cheap enough to see what any process has written, soon enough for a person. */
const lookEveryMs = 100;

export type Watch = {
  /** Undefined when it is forgotten. */
  read: () => Promise<Deployment | undefined>;
  now: () => Instant;
  /** Milliseconds that only grow. */
  clock: () => number;
  wait: Wait;
};

/** Returns whether the wait is over: the deployment runs, has failed, is stopped, or has ended. */
export function hasArrived(deployment: Deployment, now: Instant): boolean {
  return deployment.state !== 'deploying' || deployment.stoppedAt !== null || endingAt(deployment, now) !== undefined;
}

/** The deployment once it has arrived, or as it is after `ms`, or at the abort. */
export async function untilArrived(
  deployment: Deployment,
  ms: number,
  { read, now, clock, wait }: Watch,
  stop: AbortSignal,
): Promise<Deployment> {
  const until = clock() + ms;
  let latest = deployment;
  for (;;) {
    if (hasArrived(latest, now())) return ended(latest, now());
    const leftMs = until - clock();
    if (leftMs <= 0 || stop.aborted) return latest;
    await wait(Math.min(lookEveryMs, leftMs), stop);
    latest = (await read()) ?? { ...latest, state: 'expired' };
  }
}

/** An ended deployment is reported as ended even before the loop has processed it. */
function ended(deployment: Deployment, now: Instant): Deployment {
  const because = endingAt(deployment, now);
  if (because === undefined || deployment.state === 'expired') return deployment;
  return { ...deployment, state: 'expired', explanation: { kind: 'ended', because }, lastLines: [], pods: [] };
}
