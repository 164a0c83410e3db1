/** Reports faults that do not end a deployment to its owner. */
import { isDeepStrictEqual } from 'node:util';
import type { Deployment } from '../../deployment/deployment.ts';
import { endingAt, type Running } from '../../deployment/desired.ts';
import { lostVolumes, volumesOf } from '../../deployment/desired-volumes.ts';
import type { Explanation, Reason } from '../../deployment/status/reason.ts';
import type { Observed } from '../../deployment/workload/workload.ts';
import { latestEvents } from '../../store/events.ts';
import { revisionOf } from '../../store/revisions.ts';
import type { Control } from '../control.ts';
import type { Journal } from './journal.ts';

/**
 * Reports each retried fault once. A failed or ending deployment keeps its explanation. `isSeen`: whether the engine
 * was observed; time in which it was unavailable does not count towards the deadline.
 */
export async function reportFault(
  reason: Reason,
  { deployment, journal, isSeen }: { deployment: Deployment; journal: Journal; isSeen: boolean },
  { now }: Pick<Control, 'now'>,
): Promise<void> {
  if (deployment.state === 'failed' || endingAt(deployment, now())) return;
  const explanation: Explanation = { kind: 'tried-again', ...reason };
  const isKnown = isDeepStrictEqual(deployment.explanation, explanation);
  if (isKnown && isSeen) return;
  if (!isKnown) journal.addEvent({ kind: 'fault', fault: 'tried-again', ...reason });
  await journal.record({ explanation, ...(!isSeen && { progressedAt: now() }) });
}

/** Clears the explanation when the engine has completed all operations and only the application is not ready. */
export async function clearFault(deployment: Deployment, journal: Journal): Promise<void> {
  if (deployment.state !== 'deploying' || deployment.explanation === null) return;
  deployment.explanation = null;
  await journal.record({ explanation: null });
}

/** The number of events that are searched for the loss or the creation of a volume. */
const recentEvents = 20;

/** Reports lost volumes before they are created again. After a crash in between, the loss may be reported twice. */
export async function reportLostVolumes(
  deployment: Deployment,
  { desired, observed, journal }: { desired: Running; observed: Observed; journal: Journal },
  { db, seal }: Pick<Control, 'db' | 'seal'>,
): Promise<void> {
  const { id, servingRevision } = deployment;
  const lost = lostVolumes(desired.volumes, observed);
  if (servingRevision === null || lost.length === 0) return;
  const { spec } = await revisionOf(db, seal, id, servingRevision);
  const served = new Set(volumesOf(spec).map(({ volume }) => volume));
  const recent = await latestEvents(db, id, recentEvents);
  for (const { volume, title } of lost) {
    const last = recent.find(
      (event) =>
        (event.kind === 'fault' && event.fault === 'volume-lost' && event.volume === volume) ||
        (event.kind === 'operation' && event.operation === 'create-volume' && event.volume === volume),
    );
    const isReported = last?.kind === 'fault';
    if (served.has(volume) && !isReported) journal.addEvent({ kind: 'fault', fault: 'volume-lost', volume, title });
  }
  await journal.flush();
}
