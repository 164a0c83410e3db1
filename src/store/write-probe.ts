/** Whether the database takes writes now: reads go on while its disk is full. */
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import type { Tables } from './rows.ts';

/** A write waits for the disk, and anyone may call `/readyz`. */
const validMs = 1_000;

/**
 * Writes the time into a row without other meaning, because SQLite does not write unchanged pages. Throws StoreFault.
 */
export async function tryToWrite(db: Kysely<Tables>, now: Instant): Promise<void> {
  const row = { name: 'write-probe', holder: '', heldUntil: now };
  await db
    .insertInto('duties')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute();
}

/** Calls `tryToWrite` at most once a second. Calls in between return the last result. */
export function createWriteProbe(db: Kysely<Tables>, now: () => Instant) {
  let last: { at: number; answer: Promise<void> } | undefined;
  return async (): Promise<void> => {
    const at = performance.now();
    if (!last || at - last.at >= validMs) last = { at, answer: tryToWrite(db, now()) };
    await last.answer;
  };
}
