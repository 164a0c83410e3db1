/**
 * From what an edge has counted by address to what is asked of each deployment. Addresses pass from one to another, and
 * counters begin at 0 again when the edge is started anew or has not seen an address for long: what counts is what has
 * come since the look before. Pure, but for what it remembers.
 */
import { answerBoundsMs, type RequestCounts } from './use.ts';

export const noRequests: RequestCounts = {
  requests: 0,
  clientErrors: 0,
  serverErrors: 0,
  tookWithin: Array.from({ length: answerBoundsMs.length + 1 }, () => 0),
};

export type RequestTally = (
  counts: ReadonlyMap<string, RequestCounts>,
  ownerOf: (address: string) => string | undefined,
) => Map<string, RequestCounts>;

/** Answers, by deployment, what has come since the call before; nothing at the first one. */
export function createRequestTally(): RequestTally {
  let before: Map<string, { counts: RequestCounts; owner: string | undefined; isHeld: boolean }> | undefined;
  return (all, ownerOf) => {
    const known = before;
    before = new Map();
    const sums = new Map<string, RequestCounts>();
    for (const [address, counts] of all) {
      const last = known?.get(address);
      const holder = ownerOf(address);
      // Whose it was until now has had these: a switch to other addresses comes between two looks.
      const owner = holder ?? last?.owner;
      before.set(address, { counts, owner, isHeld: holder !== undefined });
      if (!known || owner === undefined) continue;
      // It passed from one to another since: which of them had how many, nobody knows, and neither is told of the other's.
      if (last?.isHeld && last.owner !== owner) continue;
      sums.set(owner, add(sums.get(owner) ?? noRequests, since(last?.counts, counts)));
    }
    return sums;
  };
}

function since(before: RequestCounts | undefined, now: RequestCounts): RequestCounts {
  if (!before || now.requests < before.requests) return now;
  return combine(now, before, (a, b) => Math.max(0, a - b));
}

export function add(one: RequestCounts, other: RequestCounts): RequestCounts {
  return combine(one, other, (a, b) => a + b);
}

function combine(one: RequestCounts, other: RequestCounts, operate: (a: number, b: number) => number): RequestCounts {
  return {
    requests: operate(one.requests, other.requests),
    clientErrors: operate(one.clientErrors, other.clientErrors),
    serverErrors: operate(one.serverErrors, other.serverErrors),
    tookWithin: one.tookWithin.map((count, index) => operate(count, other.tookWithin[index] ?? 0)),
  };
}
