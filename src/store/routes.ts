/** The route table: where each deployment is served, and what of that has changed since a version. */
import { type SqlBool, sql } from 'kysely';
import type { Endpoint } from '../deployment/site.ts';
import { chunksOf } from './chunks.ts';
import type { Database } from './database.ts';
import { isPostgres } from './dialect/dialect.ts';
import { notification } from './notify-processes.ts';

/** The routes of a deployment's site; without endpoints, it has none. */
export type StoredRoutes = {
  id: string;
  label: string;
  endpoints: Endpoint[];
  ownHosts: string[];
  domains: RoutedDomain[];
};

/** A custom domain of the deployment. Not served: the domain was lost. */
export type RoutedDomain = { name: string; redirectTo: string | null; isServed: boolean };

export type RouteNews = {
  version: number;
  /** All current routes without an earlier version, otherwise all routes that changed since. */
  changed: StoredRoutes[];
  /** A full table: deployments that are not listed have no route. */
  isWhole: boolean;
};

/**
 * Returns the version of a change to the table. Call it in the transaction of the change, after the change. Writers
 * take turns here, so that versions become visible in order.
 */
export async function nextRoutesVersion(db: Database): Promise<number> {
  const { version } = await db
    .insertInto('routeTable')
    .values({ id: 1, version: 1 })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({ version: eb('routeTable.version', '+', 1) })),
    )
    .returning('version')
    .$if(isPostgres(db), (query) => query.returning(notification('routes')))
    .executeTakeFirstOrThrow();
  return version;
}

/**
 * The changes since a version. Returns the whole table if the caller has no version, or one that the store does not
 * have, such as after a restore from a copy.
 */
export async function routesSince(db: Database, since: number | undefined): Promise<RouteNews> {
  // Read before the rows, so that a change in between is returned twice instead of missed.
  const version = await routesVersion(db);
  if (since !== undefined && since === version) return { version, changed: [], isWhole: false };
  if (since === undefined || since > version) return { version, changed: await servedRoutes(db), isWhole: true };
  const rows = await routes(db).where('routesVersion', '>', since).orderBy('routesVersion').execute();
  return { version, changed: await withDomains(db, rows), isWhole: false };
}

export async function routesVersion(db: Database): Promise<number> {
  return (await db.selectFrom('routeTable').select('version').executeTakeFirst())?.version ?? 0;
}

/** All current routes. */
export async function servedRoutes(db: Database): Promise<StoredRoutes[]> {
  const rows = await routes(db).where('goneAt', 'is', null).where('endpoints', '!=', '[]').execute();
  return await withDomains(db, rows);
}

/** Labels of all current routes, the newest deployment first. */
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

/**
 * Returns a part of the whole table, including routes that lead nowhere: the first rows after an ID, in the order of
 * IDs.
 */
export async function routesAfter(
  db: Database,
  id: string,
  limit: number,
): Promise<(StoredRoutes & { version: number })[]> {
  const rows = await routes(db).select('routesVersion').where('id', '>', id).orderBy('id').limit(limit).execute();
  const all = await withDomains(db, rows);
  return all.map((routes, index) => ({ ...routes, version: rows[index]!.routesVersion }));
}

function routes(db: Database) {
  return db.selectFrom('deployments').select(['id', 'label', 'endpoints', 'ownHosts', 'goneAt']);
}

type Row = Awaited<ReturnType<ReturnType<typeof routes>['executeTakeFirstOrThrow']>>;

/** Rows are read before domains, because changes in between have a later version. */
async function withDomains(db: Database, rows: readonly Row[]): Promise<StoredRoutes[]> {
  const found: (RoutedDomain & { deploymentId: string })[] = [];
  for (const ids of chunksOf(rows.map(({ id }) => id))) found.push(...(await domainsOf(db, ids)));
  const byDeployment = Map.groupBy(found, ({ deploymentId }) => deploymentId);
  return rows.map(({ id, label, endpoints, ownHosts, goneAt }) => ({
    id,
    label,
    endpoints: goneAt === null ? JSON.parse(endpoints) : [],
    ownHosts: JSON.parse(ownHosts),
    domains: (byDeployment.get(id) ?? []).map(({ name, redirectTo, isServed }) => ({ name, redirectTo, isServed })),
  }));
}

/**
 * A lost name is left out if another account has it now, because the route of that account's deployment contains it.
 */
async function domainsOf(db: Database, ids: readonly string[]) {
  const isOwned = (table: string) =>
    sql<SqlBool>`${sql.ref(`${table}.verifiedAt`)} is not null and ${sql.ref(`${table}.releasedAt`)} is null`;
  const rows = await db
    .selectFrom('domains')
    .select(['name', 'deploymentId', 'redirectTo', 'verifiedAt', 'releasedAt'])
    .where('deploymentId', 'in', ids)
    .where(({ or, not, exists, selectFrom }) =>
      or([
        isOwned('domains'),
        not(
          exists(
            selectFrom('domains as owned')
              .select('owned.name')
              .whereRef('owned.name', '=', 'domains.name')
              .where(isOwned('owned')),
          ),
        ),
      ]),
    )
    .orderBy('name')
    .execute();
  return rows.map(({ verifiedAt, releasedAt, ...fields }) => ({
    ...fields,
    isServed: verifiedAt !== null && releasedAt === null,
  }));
}
