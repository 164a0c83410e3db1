/**
 * The cluster that a service has claimed for an empty store. Releases up to here refuse a database with anything that
 * they do not know, so back leads no way: with this one the second generation of the schema begins.
 */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('installation').addColumn('cluster', 'text').execute();
}
