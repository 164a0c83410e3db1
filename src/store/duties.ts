/**
 * Duties: work that one process does for all processes on the database, such as the search for orphans. A holder keeps
 * its duty while it renews in time; otherwise the next process takes it. SQLite has one process, which needs no rows.
 */
import type { Instant } from '../deployment/deployment.ts';
import type { HeldDuty } from '../lib/rounds.ts';
import type { Database } from './database.ts';
import { isPostgres } from './dialect/dialect.ts';
import { holderName, type StoreProcess } from './held.ts';

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

/** A duty of this process. If this process dies, others take the duty over immediately. */
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

/** Whether it is this process's to do, from now on for a time. One that ends too far ahead is of a clock that was set back. */
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

/** Lets others have at once what this process has. */
export async function releaseDuties(db: Database, holder: string): Promise<void> {
  if (isPostgres(db)) await db.deleteFrom('duties').where('holder', '=', holder).execute();
}
