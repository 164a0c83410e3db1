/** The route table: where each deployment is served, and what of that has changed since a version. */
import type { Endpoint } from '../deployment/site.ts';
import type { Database } from './database.ts';
import { isPostgres } from './dialect/dialect.ts';
import { telling } from './news.ts';

/** What a deployment's site leads to; nowhere without endpoints. */
export type StoredRoutes = { id: string; label: string; endpoints: Endpoint[] };

export type RouteNews = {
  version: number;
  /** Without an earlier version all that lead somewhere, else all that have changed since. */
  changed: StoredRoutes[];
  /** Nothing is known of before: what is not among the changed leads nowhere. */
  isWhole: boolean;
};

/**
 * The version of a change to the table. Call it in the transaction that writes the change, after that: whoever writes
 * one waits here for who was first, so that versions are seen in their order.
 */
export async function nextRoutesVersion(db: Database): Promise<number> {
  const { version } = await db
    .insertInto('routeTable')
    .values({ id: 1, version: 1 })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({ version: eb('routeTable.version', '+', 1) })),
    )
    .returning('version')
    .$if(isPostgres(db), (query) => query.returning(telling('routes')))
    .executeTakeFirstOrThrow();
  return version;
}

/**
 * What has changed since a version, or the whole table: for whoever has none, or one that the store does not have, as
 * after it was restored from a copy.
 */
export async function routesSince(db: Database, since: number | undefined): Promise<RouteNews> {
  // Before the rows: what changes in between is told twice.
  const version = await routesVersion(db);
  if (since !== undefined && since === version) return { version, changed: [], isWhole: false };
  if (since === undefined || since > version) return { version, changed: await servedRoutes(db), isWhole: true };
  const rows = await routes(db).where('routesVersion', '>', since).orderBy('routesVersion').execute();
  return { version, changed: rows.map(fromRow), isWhole: false };
}

export async function routesVersion(db: Database): Promise<number> {
  return (await db.selectFrom('routeTable').select('version').executeTakeFirst())?.version ?? 0;
}

/** All that lead somewhere. */
export async function servedRoutes(db: Database): Promise<StoredRoutes[]> {
  const rows = await routes(db).where('goneAt', 'is', null).where('endpoints', '!=', '[]').execute();
  return rows.map(fromRow);
}

/** Labels of all that lead somewhere, the newest deployment first. */
export async function servedLabels(db: Database): Promise<string[]> {
  const rows = await db
    .selectFrom('deployments')
    .select('label')
    .where('goneAt', 'is', null)
    .where('endpoints', '!=', '[]')
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(({ label }) => label);
}

/** A part of the whole table, those that lead nowhere included: of those after an id the first in the order of ids. */
export async function routesAfter(
  db: Database,
  id: string,
  limit: number,
): Promise<(StoredRoutes & { version: number })[]> {
  const rows = await routes(db).select('routesVersion').where('id', '>', id).orderBy('id').limit(limit).execute();
  return rows.map((row) => ({ ...fromRow(row), version: row.routesVersion }));
}

function routes(db: Database) {
  return db.selectFrom('deployments').select(['id', 'label', 'endpoints', 'goneAt']);
}

type Row = Awaited<ReturnType<ReturnType<typeof routes>['executeTakeFirstOrThrow']>>;

function fromRow({ id, label, endpoints, goneAt }: Row): StoredRoutes {
  return { id, label, endpoints: goneAt === null ? JSON.parse(endpoints) : [] };
}
