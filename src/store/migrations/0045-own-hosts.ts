/** Which custom domains are one pod's alone, so that none of them shows another pod while that one is away. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('deployments')
    .addColumn('ownHosts', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute();
}
