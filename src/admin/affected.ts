/** PURE. How many deployments a command of the operator stops, and how many accounts lose some. */
import type { Suspect } from '../store/origins.ts';

export type Affected = { deployments: number; accounts: number; claimed: number; unclaimed: number };

export function countAffected(suspects: readonly Pick<Suspect, 'accountId' | 'isClaimed'>[]): Affected {
  const claimed = suspects.filter(({ isClaimed }) => isClaimed).length;
  const accounts = new Set(suspects.flatMap(({ accountId }) => accountId ?? []));
  return { deployments: suspects.length, accounts: accounts.size, claimed, unclaimed: suspects.length - claimed };
}

/** For example `18 deployments (3 claimed, 15 unclaimed) of 2 accounts`. */
export function describeAffected({ deployments, accounts, claimed, unclaimed }: Affected): string {
  const owners = accounts === 0 ? '' : ` of ${accounts} ${accounts === 1 ? 'account' : 'accounts'}`;
  const kinds = deployments === 0 ? '' : ` (${claimed} claimed, ${unclaimed} unclaimed)`;
  return `${deployments} ${deployments === 1 ? 'deployment' : 'deployments'}${kinds}${owners}`;
}
