/**
 * Reseals everything after the key has changed, in steps. Each step is a transaction, and the process can resume after
 * any of them.
 */
import { type Kysely, sql } from 'kysely';
import { headerBytes, type Seal } from '../lib/seal.ts';
import type { Database } from './database.ts';
import type { Tables } from './rows.ts';
import { write } from './transaction.ts';

/** All sealed columns of the store. `key` identifies a row. */
export const sealedTables: readonly { table: keyof Tables; key: readonly string[]; columns: readonly string[] }[] = [
  { table: 'revisions', key: ['deploymentId', 'number'], columns: ['spec', 'document'] },
  { table: 'builds', key: ['deploymentId', 'revision'], columns: ['images'] },
  { table: 'seeds', key: ['deploymentId'], columns: ['seed'] },
  { table: 'idempotency', key: ['keyHash'], columns: ['sessionToken'] },
  { table: 'certificates', key: ['host'], columns: ['pem'] },
  { table: 'acmeAccounts', key: ['directory'], columns: ['key'] },
  { table: 'shareLinks', key: ['deploymentId'], columns: ['token'] },
  { table: 'notificationChoices', key: ['accountId'], columns: ['webhookSecret'] },
  { table: 'snapshotPlaces', key: ['place'], columns: ['password'] },
];

/** Returns whether anything in the store is sealed. */
export async function hasSealed(db: Database): Promise<boolean> {
  for (const { table, columns } of sealedTables) {
    const isSealed = sql.join(
      columns.map((column) => sql`${sql.ref(column)} is not null`),
      sql` or `,
    );
    const { rows } = await sql`select 1 from ${sql.table(table)} where ${isSealed} limit 1`.execute(db);
    if (rows.length > 0) return true;
  }
  return false;
}

type SealedTable = (typeof sealedTables)[number];

/** Resealed rows, and rows that none of the current keys opens, which are not changed. */
export type Resealed = { rows: number; unreadable: number };

/** Called between transactions with the progress. */
export type AfterStep = (sofar: Resealed) => Promise<void>;

/** Other writers wait about 10 ms for it (measured). */
const rowsAtOnce = 50;

/**
 * Reseals all data of older keys with the newest key, while other clients read and write. `whenDone` runs in the
 * transaction that finds no more readable data of an older key.
 */
export async function resealAll(
  db: Kysely<Tables>,
  seal: Seal,
  { whenDone, afterStep = async () => {} }: { whenDone: () => void; afterStep?: AfterStep },
): Promise<Resealed> {
  const sofar: Resealed = { rows: 0, unreadable: 0 };
  for (const sealed of sealedTables) {
    let after: unknown[] | undefined;
    do {
      const step = await write(db, 'all', (transaction) => resealSome(transaction, seal, sealed, after));
      sofar.rows += step.rows;
      after = step.next;
      if (after) await afterStep({ ...sofar });
    } while (after);
  }
  for (;;) {
    const last = await write(db, 'all', async (transaction) => {
      const last = await resealRest(transaction, seal);
      // Changes of this transaction reach the disk at its end.
      if (last.rows === 0) whenDone();
      return last;
    });
    sofar.rows += last.rows;
    if (last.rows === 0) return { ...sofar, unreadable: last.unreadable };
  }
}

async function resealRest(db: Database, seal: Seal): Promise<Resealed> {
  const sofar: Resealed = { rows: 0, unreadable: 0 };
  for (const sealed of sealedTables) {
    let after: unknown[] | undefined;
    do {
      const step = await resealSome(db, seal, sealed, after);
      sofar.rows += step.rows;
      sofar.unreadable += step.unreadable;
      after = step.next;
    } while (after);
  }
  return sofar;
}

/** The next rows of a table, in the order of their keys; `next` is where to go on, absent at the end. */
async function resealSome(
  db: Database,
  seal: Seal,
  { table, key, columns }: SealedTable,
  after: unknown[] | undefined,
): Promise<Resealed & { next?: unknown[] }> {
  const keys = sql.join(key.map((name) => sql.ref(name)));
  const header = seal.header();
  const outdated = columns.map((name) => sql<boolean>`substr(${sql.ref(name)}, 1, ${headerBytes}) <> ${header}`);
  const { rows } = await sql<Record<string, unknown>>`
    select ${sql.join([...key, ...columns].map((name) => sql.ref(name)))} from ${sql.table(table)}
    where (${sql.join(outdated, sql` or `)}) ${after ? sql`and (${keys}) > (${sql.join(after)})` : sql``}
    order by ${keys} limit ${rowsAtOnce}`.execute(db);
  let unreadable = 0;
  for (const row of rows) {
    const values = sealAnew(seal, columns, row);
    if (!values) unreadable += 1;
    else {
      await sql`
        update ${sql.table(table)} set ${sql.join(values.map(([name, value]) => sql`${sql.ref(name)} = ${value}`))}
        where ${sql.join(
          key.map((name) => sql`${sql.ref(name)} = ${row[name]}`),
          sql` and `,
        )}`.execute(db);
    }
  }
  const last = rows.length < rowsAtOnce ? undefined : rows.at(-1);
  return { rows: rows.length - unreadable, unreadable, ...(last && { next: key.map((name) => last[name]) }) };
}

function sealAnew(
  seal: Seal,
  columns: readonly string[],
  row: Record<string, unknown>,
): [string, Uint8Array][] | undefined {
  try {
    return columns.map((name) => [name, seal.close(seal.open(row[name] as Uint8Array))]);
  } catch {
    return undefined;
  }
}
