/** PURE. The names of what the isolation is tried with, as a process starts: others on the same cluster leave it alone. */
import type { Instant } from '../../deployment/deployment.ts';
import { labelKeys } from '../labels.ts';
import { isIsolationTrialId } from '../trial-ids.ts';
import type { Found } from './objects.ts';

/** A trial is given up after six minutes; what one has left that was killed is an orphan after this. */
const longestMs = 10 * 60_000;

type Metadata = Pick<Found['metadata'], 'labels' | 'creationTimestamp'>;

/** Of a namespace. */
export function isBeingTried({ labels, creationTimestamp }: Metadata, now: Instant): boolean {
  const isTrial = isIsolationTrialId(labels?.[labelKeys.deployment] ?? '');
  return isTrial && now - Date.parse(creationTimestamp) < longestMs;
}
