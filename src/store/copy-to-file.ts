/**
 * Copies the whole database into an SQLite file, at one instant, while others read and write. The copy is the same from
 * either database, so that it can be restored into the other one.
 */
import { open } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { clearTables, copySome, tableShapes } from './copy-tables.ts';
import { type Database, openSqlite } from './database.ts';
import { isPostgres } from './dialect/dialect.ts';
import { atOnce } from './leases.ts';
import { nextRoutesVersion } from './routes.ts';
import type { Tables } from './rows.ts';
import { write } from './transaction.ts';

/** The file must not exist. It is readable only by its owner. */
export async function copyToFile(db: Kysely<Tables>, file: string): Promise<void> {
  await (await open(file, 'wx', 0o600)).close();
  if (isPostgres(db)) await copyFromServer(db, file);
  // It reads in one transaction, during which writers continue.
  else await sql`vacuum into ${file}`.execute(db);
}

async function copyFromServer(db: Kysely<Tables>, file: string): Promise<void> {
  const shapes = await tableShapes();
  const to = await openSqlite(file);
  try {
    // One snapshot of the server for all tables, so that references resolve.
    const reading = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
    await reading.execute(async (from) => {
      await clearTables(to, shapes);
      const write = (work: (to: Database) => Promise<void>) => to.transaction().execute(work);
      for (const shape of shapes) {
        let step = await copySome(from, write, shape, undefined);
        while (step) step = await copySome(from, write, shape, step.last);
      }
      const installation = await from.selectFrom('installation').selectAll().executeTakeFirstOrThrow();
      await to.insertInto('installation').values(installation).execute();
    });
  } finally {
    await to.destroy();
  }
}

/** Removes from a copied database the facts about its original machine, before a service uses it elsewhere. */

/**
 * Clears all endpoints, because another workload may now have a previous address: each route works again after the next
 * visit. Visits all present deployments at once and releases all leases.
 */
export async function settleRestored(db: Kysely<Tables>, now: Instant): Promise<void> {
  await write(db, 'all', async (db) => {
    await db.deleteFrom('edges').execute();
    await db.deleteFrom('duties').execute();
    // The filled volumes stayed on the previous machine.
    await db
      .updateTable('restores')
      .set({ state: 'asked', filledKey: null, progress: null, tries: 0, nextTryAt: now })
      .where('state', 'in', ['asked', 'filled'])
      .execute();
    const routesVersion = await nextRoutesVersion(db);
    await db
      .updateTable('deployments')
      .set({ endpoints: '[]', routesVersion })
      .where('endpoints', '!=', '[]')
      .execute();
    await db
      .updateTable('leases')
      .set({ dueAt: atOnce(now), token: null, leasedUntil: null, observedHash: null })
      .where('deploymentId', 'in', (eb) => eb.selectFrom('deployments').select('id').where('goneAt', 'is', null))
      .execute();
  });
}
