/** Deterministic names, so that a repeated step finds the result of the first attempt. */
import { createHash, randomInt } from 'node:crypto';
import type { Deployment } from './deployment.ts';
import { adjectives, animals } from './environment-words.ts';

/** RFC 1035: a DNS label has at most 63 octets. */
const maxLabelLength = 63;

/** `restart`: how often its owner has restarted the pod. */
export function workloadName(
  deploymentId: string,
  pod: string,
  { revision, replica, restart }: { revision: number; replica: number; restart: number },
): string {
  const name = `berth-${deploymentId}-${pod}-${revision}-${replica}`;
  return restart === 0 ? name : `${name}-r${restart}`;
}

/** Two words, e.g. `jolly-tapir`. */
export function newEnvironment(pick: (count: number) => number = randomInt): string {
  return `${adjectives[pick(adjectives.length)]}-${animals[pick(animals.length)]}`;
}

/**
 * `<environment>-<application>` as one DNS label. Dots become hyphens; a name that is too long is cut and given a
 * hash of the whole, so that two long names with the same beginning differ.
 */
export function hostLabel(environment: string, applicationName: string): string {
  const label = `${environment}-${applicationName.replaceAll('.', '-')}`;
  if (label.length <= maxLabelLength) return label;
  const hash = createHash('sha256').update(applicationName).digest('hex').slice(0, 8);
  return `${label.slice(0, maxLabelLength - hash.length - 1).replace(/-+$/, '')}-${hash}`;
}

/** Of its page in the dashboard. */
export function dashboardPath({
  environment,
  applicationName,
}: Pick<Deployment, 'environment' | 'applicationName'>): string {
  return `/d/${[environment, applicationName].map(encodeURIComponent).join('/')}`;
}
