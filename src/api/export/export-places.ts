/** How many exports are made at once: each holds a copy of volumes while it is read. */
import type { Problem } from '../../lib/problem.ts';

const mostAtOnce = 4;
/** Maximum exports of clients without an account, so that places remain for accounts. */
const mostOfStrangers = 3;

/** `client`: what its address is counted as. */
export type Exporter = { accountId: string | null; client: string };

export type ExportPlaces = {
  /** Takes a place and returns the function that releases it. If all are taken, returns the problem. */
  take(deploymentId: string, exporter: Exporter): (() => void) | Problem;
};

export function createExportPlaces(): ExportPlaces {
  const underWay = new Map<symbol, { deploymentId: string; who: string; isStranger: boolean }>();
  return {
    take(deploymentId, { accountId, client }) {
      const isStranger = accountId === null;
      const who = isStranger ? `client ${client}` : `account ${accountId}`;
      const others = [...underWay.values()];
      if (others.some((other) => other.deploymentId === deploymentId || other.who === who)) return hasOne;
      const strangers = others.filter((other) => other.isStranger).length;
      if (others.length >= mostAtOnce || (isStranger && strangers >= mostOfStrangers)) return isFull;
      const place = Symbol(who);
      underWay.set(place, { deploymentId, who, isStranger });
      return () => void underWay.delete(place);
    },
  };
}

const hasOne: Problem = {
  code: 'rate_limited',
  error: 'An export of this deployment, or another one of this account or client address, is in progress.',
  hint: 'Try again when it has ended.',
  retryAfterSeconds: 15,
};

const isFull: Problem = {
  code: 'rate_limited',
  error: 'The maximum number of exports is already in progress.',
  hint: 'Try again when an export has ended.',
  retryAfterSeconds: 15,
};
