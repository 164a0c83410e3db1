/**
 * Which of the processes on one PostgreSQL are there. Each holds a lock while its session lasts, and the server ends that of
 * a process that is killed at once; one that stands still keeps it. So what a dead one held need not run out.
 */
import type { Client } from 'pg';
import { wait } from '../../lib/wait.ts';

/** Of all advisory locks of a database, those of this number say that a process is there. */
const presence = 0x6265_7276;

const lookMs = 1_000;
/** How many looks in a row must miss a process. A session that was cut reconnects within one look. */
const looksUntilGone = 3;
/** After a restart of the server the others come back within 5 s, as this one did. */
const looksUntilAllAreBack = 10;

/** Absent processes that hold a lease or a duty. A holder's name begins with its process and a dot. */
const absentHolders = `
  select holder from (
    select split_part(token, '.', 1) as holder from leases where "leasedUntil" is not null and token like '%.%'
    union select split_part(holder, '.', 1) from duties where holder like '%.%'
  ) as holders
  where not exists (
    select from pg_locks where locktype = 'advisory' and classid = ${presence} and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())
    and objid::bigint = (hashtext(holder)::bigint & 4294967295)
  )`;

/** Says in this session, and until its end, that the process is there. */
export async function bePresent(client: Client, processId: string): Promise<void> {
  await client.query(`select pg_advisory_lock_shared(${presence}, hashtext($1))`, [processId]);
}

/** Reports each absent process that holds something, at every look, until the session ends or the abort. */
export async function watchPresence(
  client: Client,
  gone: (processId: string) => void,
  end: AbortSignal,
): Promise<void> {
  const absences = new Map<string, number>();
  for (let look = 1; ; look++) {
    await wait(lookMs, end);
    if (end.aborted) return;
    const { rows } = await client.query<{ holder: string }>(absentHolders);
    const absent = new Set(rows.map(({ holder }) => holder));
    for (const holder of absences.keys()) if (!absent.has(holder)) absences.delete(holder);
    for (const holder of absent) {
      const count = (absences.get(holder) ?? 0) + 1;
      absences.set(holder, count);
      if (count >= looksUntilGone && look > looksUntilAllAreBack) gone(holder);
    }
  }
}
