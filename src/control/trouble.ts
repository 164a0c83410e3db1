/** What goes wrong around a deployment without ending it, told to its owner. */
import type { Deployment } from '../deployment/deployment.ts';
import { type Desired, endingAt, lostVolumes, volumesOf } from '../deployment/desired.ts';
import type { Observed } from '../deployment/workload.ts';
import { latestEvents } from '../store/events.ts';
import { revisionOf } from '../store/revisions.ts';
import type { Control } from './control.ts';
import type { Journal } from './journal.ts';

/**
 * Once for each fault that is tried again. A deployment that has failed keeps its reason, one that ends its own words.
 * `isSeen`: time in which the engine could not even be looked at does not count towards the deadline.
 */
export async function tellTrouble(
  words: string,
  { deployment, journal, isSeen }: { deployment: Deployment; journal: Journal; isSeen: boolean },
  { now }: Pick<Control, 'now'>,
): Promise<void> {
  const { state, message } = deployment;
  if (state === 'failed' || endingAt(deployment, now())) return;
  if (message === words && isSeen) return;
  if (message !== words) journal.note({ kind: 'fault', message: words });
  await journal.record({ message: words, ...(!isSeen && { progressedAt: now() }) });
}

/** The engine has done all that was asked of it; what is missing now is the application's own. */
export async function forgetTrouble(deployment: Deployment, journal: Journal): Promise<void> {
  if (deployment.state !== 'deploying' || deployment.message === '') return;
  deployment.message = '';
  await journal.record({ message: '' });
}

/** Before they are made again: whoever dies in between tells it twice rather than never. */
export async function tellLosses(
  deployment: Deployment,
  {
    desired,
    observed,
    journal,
  }: { desired: Extract<Desired, { kind: 'running' }>; observed: Observed; journal: Journal },
  { db, seal }: Pick<Control, 'db' | 'seal'>,
): Promise<void> {
  const { id, servingRevision } = deployment;
  if (servingRevision === null || lostVolumes(desired.volumes, observed).length === 0) return;
  const { spec } = await revisionOf(db, seal, id, servingRevision);
  const served = new Set(volumesOf(spec).map(({ volume }) => volume));
  const recent = (await latestEvents(db, id, 20)).map(({ message }) => message);
  for (const { volume, title } of lostVolumes(desired.volumes, observed)) {
    const message = `The ${title} was lost on the engine: what was in it is gone. It is made again, empty.`;
    const made = recent.findIndex((text) => text.startsWith(`create-volume ${volume}, `));
    const sinceMade = made === -1 ? recent : recent.slice(0, made);
    if (served.has(volume) && !sinceMade.includes(message)) journal.note({ kind: 'fault', message });
  }
  await journal.flush();
}
