/** Who owns a deployment stops it, and starts it again, and has pods restarted. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  const deployments = () => db.schema.alterTable('deployments');
  await deployments().addColumn('stoppedAt', 'bigint').execute();
  await deployments()
    .addColumn('restarts', 'text', (c) => c.notNull().defaultTo('{}'))
    .execute();
}
