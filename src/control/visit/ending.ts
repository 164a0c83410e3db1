/** Records the end of a deployment: the warning, the end, and that its objects are gone. */
import type { Deployment, Instant } from '../../deployment/deployment.ts';
import type { Desired } from '../../deployment/desired.ts';
import { endEvent, warnAt } from '../../deployment/grace.ts';
import { nextState } from '../../deployment/status/lifecycle.ts';
import { deleteConfigurations } from '../../store/revisions.ts';
import type { Control } from '../control.ts';
import { nextVisitAt } from '../schedule.ts';
import type { Journal } from './journal.ts';

export type Ending = { deployment: Deployment; journal: Journal; control: Control };

type Gone = Extract<Desired, { kind: 'gone' }>;

/** Warns once before each time limit. Returns false if it could not be written. */
export async function warnOfEnd({ deployment, journal, control }: Ending): Promise<boolean> {
  const at = warnAt(deployment);
  if (at === null || at > control.now()) return true;
  const expiresAt = new Date(deployment.expiresAt!).toISOString();
  journal.addEvent({ kind: 'lifetime', lifetime: 'ends-soon', expiresAt });
  const warned = { warnedOf: deployment.expiresAt };
  Object.assign(deployment, warned);
  return await journal.record(warned);
}

/** Records the end before anything is removed. Returns false if it could not be written. */
export async function recordEnd({ because, keptUntil }: Gone, { deployment, journal }: Ending): Promise<boolean> {
  if (deployment.state !== 'expired') {
    const explanation = { kind: 'ended', because } as const;
    journal.addEvent(endEvent(because, keptUntil));
    const state = nextState(deployment.state, 'ended');
    return await journal.record({ state, explanation, pods: [], restorableUntil: keptUntil });
  }
  if (deployment.restorableUntil === keptUntil) return true;
  if (keptUntil === null) journal.addEvent({ kind: 'lifetime', lifetime: 'forgotten', because: 'time' });
  // Before the first volume is removed, because no restore is possible after that.
  return await journal.record({ restorableUntil: keptUntil });
}

/** Records that all objects are gone, or all except volumes that are kept for a time. */
export async function recordRemoval(
  { because, keptUntil }: Gone,
  { deployment, journal, control }: Ending,
): Promise<{ dueAt: Instant | null } | 'unwritten'> {
  const { db, seal, now, log, settings } = control;
  if (keptUntil !== null) {
    if (deployment.keptAt === null && !(await journal.record({ keptAt: now() }))) return 'unwritten';
    return {
      dueAt: Math.min(keptUntil, nextVisitAt({ ...deployment, expiresAt: null }, control, settings.revisitMs)),
    };
  }
  await deleteConfigurations(db, seal, deployment);
  await journal.record({ goneAt: now() });
  log.info({ deployment: deployment.id, because }, 'deployment gone');
  return { dueAt: null };
}

/** Records that nothing runs and only the volumes are left. */
export async function recordStop({
  deployment,
  journal,
  control,
}: Ending): Promise<{ dueAt: Instant | null } | 'unwritten'> {
  if (deployment.pods.length > 0 && !(await journal.record({ pods: [] }))) return 'unwritten';
  // A suspension pauses the time limit.
  const waiting = deployment.suspendedAt === null ? deployment : { ...deployment, expiresAt: null };
  return { dueAt: nextVisitAt(waiting, control, control.settings.revisitMs) };
}
