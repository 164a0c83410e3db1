/**
 * Attention: of a listing of the whole engine, whose rows are worth reading. Those of which something else is listed than
 * the last time, those that were visited since, and in turns a part of all: whatever is missed is found in ten minutes.
 */
import type { Owned } from '../engine/engine.ts';
import type { Database } from '../store/database.ts';
import { leasedAfter } from '../store/leases.ts';

/** At least so many in turn, and all within so many listings. */
const leastInTurn = 500;
const listingsToAll = 20;

/** What is listed of each deployment. */
export type Things = ReadonlyMap<string, readonly Owned[]>;

export type Attention = {
  /** The ids of deployments to be looked at. */
  direct(things: Things): Promise<Set<string>>;
  /** Have a deployment looked at with the next listing. */
  look(deploymentId: string): void;
  /** Have all looked at: what came of the last listing is not known. */
  lookAtAll(): void;
};

export function createAttention(db: Database): Attention {
  let listed = new Map<string, string>();
  let asked = new Set<string>();
  let turn = '';

  return {
    async direct(things) {
      const ids = asked;
      asked = new Set();
      const before = listed;
      listed = new Map();
      for (const [id, owned] of things) {
        const text = print(owned);
        if (before.get(id) !== text) ids.add(id);
        listed.set(id, text);
      }
      for (const id of before.keys()) if (!listed.has(id)) ids.add(id);
      const limit = Math.max(leastInTurn, Math.ceil(things.size / listingsToAll));
      const page = await leasedAfter(db, turn, limit);
      turn = page.length < limit ? '' : page.at(-1)!;
      for (const id of page) ids.add(id);
      return ids;
    },
    look: (deploymentId) => void asked.add(deploymentId),
    lookAtAll() {
      for (const id of listed.keys()) asked.add(id);
      listed.clear();
    },
  };
}

/** Engines list in an order of their own, which seldom changes: where it does, somebody is looked at in vain. */
function print(owned: readonly Owned[]): string {
  return owned
    .map(({ kind, name, phase, tampering, volume }) => `${kind} ${name} ${phase} ${tampering} ${volume}`)
    .join('\n');
}
