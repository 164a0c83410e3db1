/** What the owner of a custom domain was told of it, so that it is told once. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('domains').addColumn('told', 'text').execute();
}
