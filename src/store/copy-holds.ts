/**
 * Holds on copies of volumes that a process reads. A copy is not cleaned up while its hold is renewed in time. Holds
 * are rows of the duties, also in SQLite, because commands of the operator run next to the service.
 */
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { runRounds } from '../lib/rounds.ts';
import { wait as reallyWait, type Wait } from '../lib/wait.ts';
import type { Tables } from './rows.ts';

/** How long the copies of a killed process stay, and the workloads that were stopped for them. */
export const holdMs = 30_000;
const prefix = 'copy ';

/** Holds a copy from before its creation until it is disposed of. */
export async function holdCopy(
  db: Kysely<Tables>,
  key: string,
  now: () => Instant,
  wait: Wait = reallyWait,
): Promise<AsyncDisposable> {
  const name = `${prefix}${key}`;
  const renew = async () => {
    const row = { name, holder: key, heldUntil: now() + holdMs };
    await db
      .insertInto('duties')
      .values(row)
      .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
      .execute();
  };
  await db.deleteFrom('duties').where('name', 'like', `${prefix}%`).where('heldUntil', '<=', now()).execute();
  await renew();
  const everyMs = holdMs / 3;
  // If the database is unavailable for longer, the copy is lost, and its reader gets an error.
  const renewal = runRounds({
    name: 'copies',
    everyMs,
    longestMs: everyMs,
    isDelayed: true,
    work: renew,
    onFault: () => {},
    wait,
  });
  return {
    async [Symbol.asyncDispose]() {
      await renewal[Symbol.asyncDispose]();
      await db.deleteFrom('duties').where('name', '=', name).execute();
    },
  };
}

/** Returns the keys of held copies. */
export async function heldCopies(db: Kysely<Tables>, now: Instant): Promise<Set<string>> {
  const rows = await db
    .selectFrom('duties')
    .select('holder')
    .where('name', 'like', `${prefix}%`)
    .where('heldUntil', '>', now)
    .execute();
  return new Set(rows.map(({ holder }) => holder));
}
