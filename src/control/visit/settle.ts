/** A deployment whose pods are all ready and routed. */
import type { Instant } from '../../deployment/deployment.ts';
import type { Running } from '../../deployment/desired.ts';
import { nextState } from '../../deployment/status/lifecycle.ts';
import { confirmRoutes } from '../routing.ts';
import { fallAsleep, recordWake, type Visited } from './falling-asleep.ts';

/** Records that it runs. */
export async function recordRunning(revision: number, { deployment, journal, control }: Visited): Promise<void> {
  // After a failed update, the previous revision serves, and the deployment stays failed.
  if (deployment.state === 'failed' && revision !== deployment.revision) return;
  const state = nextState(deployment.state, 'ready');
  if (state !== deployment.state || deployment.explanation !== null) {
    journal.addEvent({ kind: 'state', state: 'running', revision });
    const arrived = { state, progress: 100, explanation: null, lastLines: [], servingRevision: revision };
    Object.assign(deployment, arrived);
    const settled = { number: revision, outcome: 'running' } as const;
    await journal.record({ ...arrived, progressedAt: control.now() }, settled);
    control.log.info({ deployment: deployment.id, revision }, 'deployment running');
  }
  await recordWake({ deployment, journal, control });
}

/** Also puts it to sleep if it is unused. Returns `asleep`, or when to look again at the latest. */
export async function settle(desired: Running, settled: Visited): Promise<'asleep' | Instant | undefined> {
  await confirmRoutes(settled.deployment, settled.control);
  await recordRunning(desired.revision, settled);
  return await fallAsleep(desired, settled);
}
