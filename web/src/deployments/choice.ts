/**
 * Filters and sorts the listed deployments. The choice is in the address of the page, so that a link shows the same
 * list. Pure.
 */
import type { Listed } from './use-list.ts';

/** Filters of the list. Each stands for one or several states. */
export const groups = ['running', 'deploying', 'trouble', 'stopped', 'ended'] as const;
export type Group = (typeof groups)[number];

export const orders = ['newest', 'name', 'expiry'] as const;
export type Order = (typeof orders)[number];

export type Choice = { search: string; group: Group | 'all'; order: Order };

export function choiceIn(query: string): Choice {
  const given = new URLSearchParams(query);
  return {
    search: given.get('search') ?? '',
    group: groups.find((group) => group === given.get('state')) ?? 'all',
    order: orders.find((order) => order === given.get('sort')) ?? 'newest',
  };
}

/** Returns the query with its question mark. Empty for the default: all, newest first. */
export function withChoice({ search, group, order }: Choice): string {
  const given = new URLSearchParams();
  if (search !== '') given.set('search', search);
  if (group !== 'all') given.set('state', group);
  if (order !== 'newest') given.set('sort', order);
  return given.size === 0 ? '' : `?${given}`;
}

/** `listed`: the newest first. */
export function chosen(listed: readonly Listed[], { search, group, order }: Choice): Listed[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = listed.filter((one) => {
    const text = `${one.applicationName} ${one.environment} ${one.url}`.toLowerCase();
    return words.every((word) => text.includes(word)) && (group === 'all' || groupOf(one) === group);
  });
  if (order === 'name') return found.toSorted((a, b) => a.applicationName.localeCompare(b.applicationName));
  return order === 'expiry' ? found.toSorted((a, b) => endOf(a) - endOf(b)) : found;
}

/** Undefined while the state is unknown. */
export function groupOf({ fate }: Pick<Listed, 'fate'>): Group | undefined {
  if (fate.kind !== 'alive') return fate.kind === 'ended' ? 'ended' : undefined;
  switch (fate.reservation.status.health) {
    case 'running':
    case 'deploying':
    case 'stopped':
      return fate.reservation.status.health;
    case 'asleep':
      return 'running';
    case 'expired':
      return 'ended';
    case 'degraded':
    case 'serving':
    case 'failed':
      return 'trouble';
  }
}

/** Deployments without an expiry follow those with one. Ended ones are last. */
function endOf({ fate }: Listed): number {
  if (fate.kind !== 'alive') return fate.kind === 'ended' ? Number.MAX_VALUE : Number.MAX_SAFE_INTEGER;
  const { expiresAt } = fate.reservation;
  return expiresAt === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(expiresAt);
}
