/**
 * Duties: work that one process does for all processes on the database, such as the search for orphans. A holder keeps
 * its duty while it renews in time; otherwise the next process takes it. SQLite has one process, which needs no rows.
 */
import type { Instant } from '../deployment/deployment.ts';
import { newId } from '../lib/ids.ts';
import type { HeldDuty } from '../lib/rounds.ts';
import type { Database } from './database.ts';
import { isPostgres } from './dialect/dialect.ts';
import { atOnce } from './leases.ts';

export type Duty = {
  name: string;
  /** Names the process. */
  holder: string;
  now: Instant;
  /** How long the duty is reserved for this holder. */
  forMs: number;
};

export type DutyParts = Pick<Duty, 'name' | 'forMs'> & {
  db: Database;
  /** Absent if there is only one process. */
  process: StoreProcess | undefined;
  now: () => Instant;
};

/** Creates a duty of this process. If the process dies, others take it over immediately. */
export function createDuty({ db, name, forMs, process, now }: DutyParts): HeldDuty {
  let holder: string | undefined;
  let isNamed = false;
  const leave = async () => {
    if (holder !== undefined) await releaseDuties(db, holder);
  };
  return {
    async take() {
      const isSeen = process?.isSeen() ?? false;
      if (holder === undefined || isSeen !== isNamed) {
        await leave();
        holder = holderName(process);
        isNamed = isSeen;
      }
      return await acquireDuty(db, { name, holder, now: now(), forMs });
    },
    leave,
  };
}

/**
 * Tries to acquire the duty for a time. A lease that ends too far in the future comes from a clock that was set back,
 * and is ignored.
 */
export async function acquireDuty(db: Database, { name, holder, now, forMs }: Duty): Promise<boolean> {
  if (!isPostgres(db)) return true;
  const row = { name, holder, heldUntil: now + forMs };
  const result = await db
    .insertInto('duties')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet(row)
        .where((eb) =>
          eb.or([
            eb('duties.holder', '=', holder),
            eb('duties.heldUntil', '<=', now),
            eb('duties.heldUntil', '>', now + 2 * forMs),
          ]),
        ),
    )
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Releases everything that this process holds. */
export async function releaseDuties(db: Database, holder: string): Promise<void> {
  if (isPostgres(db)) await db.deleteFrom('duties').where('holder', '=', holder).execute();
}

/** A process that uses the database. `isSeen`: whether other processes detect its death immediately. */
export type StoreProcess = { id: string; isSeen(): boolean };

/**
 * Returns a token for leases and duties. It contains the ID of the process if other processes detect its death, so that
 * they can release its leases then. Otherwise they wait until its leases expire.
 */
export function holderName(process: StoreProcess | undefined): string {
  return process?.isSeen() ? `${process.id}.${newId()}` : newId();
}

/**
 * Releases what a dead process held without waiting for the expiry: its deployments are due now and its duties are
 * free.
 */
export async function releaseHeldBy(db: Database, processId: string, now: Instant): Promise<void> {
  await db
    .updateTable('leases')
    .set({ token: null, leasedUntil: null, observedHash: null, dueAt: atOnce(now) })
    .where('leasedUntil', 'is not', null)
    .where('token', 'like', `${processId}.%`)
    .execute();
  await db.deleteFrom('duties').where('holder', 'like', `${processId}.%`).execute();
}
