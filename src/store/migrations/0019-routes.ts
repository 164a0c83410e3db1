/**
 * Versions of the route table: who has one reads what has changed since. The counter's row also keeps transactions that
 * write routes apart, so that versions are seen in their order.
 */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('routeTable')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('version', 'bigint', (c) => c.notNull())
    .execute();
  // Routes that are there are its first version.
  await sql`insert into "routeTable" ("id", "version") values (1, 1)`.execute(db);
  await db.schema
    .alterTable('deployments')
    .addColumn('routesVersion', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`update deployments set "routesVersion" = 1 where "endpoints" <> '[]'`.execute(db);
  await db.schema.createIndex('deployments_routes').on('deployments').column('routesVersion').execute();
}
