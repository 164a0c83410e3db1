/** How many containers, volumes and GPUs each revision asks for. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // What is sealed is counted by the service when it starts, see `countRevisions`: a migration has no key.
  for (const column of ['containers', 'volumes', 'gpus'])
    await db.schema.alterTable('revisions').addColumn(column, 'integer').execute();
}
