/**
 * Chooses the deployments whose rows are read after a listing of the whole engine: those whose listing changed, those
 * that were visited since, and a part of the others in turn. A missed change is therefore found within ten minutes.
 */
import type { Owned } from '../engine/engine.ts';
import type { Database } from '../store/database.ts';
import { leasedAfter } from '../store/leases.ts';

/** The minimum number per listing, and the number of listings within which all are chosen. */
const minInTurn = 500;
const listingsToAll = 20;

/** The listed objects of each deployment. */
export type ListedObjects = ReadonlyMap<string, readonly Owned[]>;

export type Attention = {
  /** Returns the ids of the chosen deployments. */
  choose(objects: ListedObjects): Promise<Set<string>>;
  /** Chooses a deployment at the next listing. */
  chooseNext(deploymentId: string): void;
  /** Chooses all deployments at the next listing, because processing the last one failed. */
  chooseAllNext(): void;
};

export function createAttention(db: Database): Attention {
  let listed = new Map<string, string>();
  let requested = new Set<string>();
  let turn = '';

  return {
    async choose(objects) {
      const ids = requested;
      requested = new Set();
      const before = listed;
      listed = new Map();
      for (const [id, owned] of objects) {
        const text = print(owned);
        if (before.get(id) !== text) ids.add(id);
        listed.set(id, text);
      }
      for (const id of before.keys()) if (!listed.has(id)) ids.add(id);
      const limit = Math.max(minInTurn, Math.ceil(objects.size / listingsToAll));
      const page = await leasedAfter(db, turn, limit);
      turn = page.length < limit ? '' : page.at(-1)!;
      for (const id of page) ids.add(id);
      return ids;
    },
    chooseNext: (deploymentId) => void requested.add(deploymentId),
    chooseAllNext() {
      for (const id of listed.keys()) requested.add(id);
      listed.clear();
    },
  };
}

/** Engines rarely change the order of a listing. If one does, some rows are read in vain. */
function print(owned: readonly Owned[]): string {
  return owned
    .map(({ kind, name, phase, tampering, volume }) => `${kind} ${name} ${phase} ${tampering} ${volume}`)
    .join('\n');
}
