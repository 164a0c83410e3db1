/** A deployment says on which cluster it is; null on engines of one machine, and before anybody has said it. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('deployments').addColumn('cluster', 'text').execute();
}
