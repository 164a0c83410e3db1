/** Whether the database takes writes now: reads go on while its disk is full. */
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import type { Tables } from './rows.ts';

/** A write waits for the disk, and everybody may ask. */
const validMs = 1_000;

/** Changes nothing, and is written all the same. Throws StoreFault. */
export async function tryToWrite(db: Kysely<Tables>): Promise<void> {
  await db
    .updateTable('installation')
    .set((eb) => ({ keyId: eb.ref('keyId') }))
    .execute();
}

/** As `tryToWrite`, at most once a second: whoever asks in between gets the answer of the last try. */
export function createWriteProbe(db: Kysely<Tables>, uptime: () => Instant = () => performance.now()) {
  let last: { at: Instant; answer: Promise<void> } | undefined;
  return async (): Promise<void> => {
    if (!last || uptime() - last.at >= validMs) last = { at: uptime(), answer: tryToWrite(db) };
    await last.answer;
  };
}
