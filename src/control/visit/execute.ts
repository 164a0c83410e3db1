/** Executes one operation of a plan, on the engine or, for routes and drains, on the edge. */
import type { Deployment, Instant } from '../../deployment/deployment.ts';
import { endingAt } from '../../deployment/desired.ts';
import type { Operation } from '../../deployment/plan/operation.ts';
import { facetOf } from '../../engine/engine.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { Wait } from '../../lib/wait.ts';
import type { Database } from '../../store/database.ts';
import { deploymentById } from '../../store/deployments.ts';
import { recordRestored, refillRestore } from '../../store/restores.ts';
import { confirmEverywhere, heldAddresses, type Router, route } from '../routing.ts';
import { checkImages, confirmAccess, type ImageAccess, pullImage, type WatchedPull } from './deployment-images.ts';

/** Its notes are written as events with the next write. */
export type Executor = Drainer & Router & ImageAccess & { metrics: Metrics };

/** Throws EngineFault, or the signal's reason if a pull is canceled. */
export async function execute(
  deployment: Deployment,
  operation: Operation,
  executor: Executor,
  pulling: WatchedPull,
): Promise<void> {
  const stopTimer = executor.metrics.operations.startTimer({ kind: operation.kind });
  try {
    await perform(deployment, operation, executor, pulling);
  } finally {
    stopTimer();
  }
}

async function perform(
  deployment: Deployment,
  operation: Operation,
  executor: Executor,
  pulling: WatchedPull,
): Promise<void> {
  const { db, engine } = executor;
  switch (operation.kind) {
    case 'create-network':
      if (engine.addresses) engine.addresses.holdBack(deployment.id, await heldAddresses(db, executor));
      await engine.execute(deployment.id, operation);
      return;
    case 'check':
      await checkImages(deployment, operation, executor);
      return;
    case 'pull':
      await pullImage(deployment, operation, executor, pulling);
      return;
    case 'start':
      await confirmAccess(deployment, operation.workload, executor);
      engine.addresses?.holdBack(deployment.id, operation.avoid ?? []);
      await engine.execute(deployment.id, operation, pulling.limits);
      return;
    case 'freeze':
    case 'thaw':
      await facetOf(engine, 'freezer')[operation.kind](deployment.id, operation.name);
      return;
    case 'set-egress':
      await facetOf(engine, 'isolation').setEgress(deployment.id, operation.egress);
      return;
    case 'set-pod-targets':
      await facetOf(engine, 'podAddresses').set(deployment.id, operation.targets);
      return;
    case 'swap-volumes': {
      const { volumes, restoreId, filledKey, snapshotId, fromDeploymentId } = operation;
      const madeFor = fromDeploymentId ?? deployment.id;
      if (!(await facetOf(engine, 'copies').swap(deployment.id, volumes, { key: filledKey, madeFor }))) {
        await refillRestore(db, restoreId, executor.now());
        const because = 'The fetched data is no longer on the host; it is being fetched again.';
        executor.addEvent({ kind: 'snapshot', snapshot: 'not-restored', id: snapshotId, because, isOver: false });
        return;
      }
      await recordRestored(db, restoreId, executor.now());
      executor.addEvent({ kind: 'snapshot', snapshot: 'restored', id: snapshotId, volumes });
      return;
    }
    case 'route':
      await route(deployment, operation, executor);
      return;
    case 'remove':
    case 'stop':
    case 'remove-network':
      await confirmEverywhere(deployment, executor);
      await engine.execute(deployment.id, operation);
      return;
    case 'drain':
      // An edge with the old routes may still send new requests there.
      await confirmEverywhere(deployment, executor);
      await drain(deployment, operation.addresses, executor);
      return;
    default:
      await engine.execute(deployment.id, operation);
  }
}

/** Draining: open requests on replaced workloads get time to complete before the workloads are removed. */

type Drainer = {
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
  /** Runs work that only waits, without occupying a slot. */
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
