/** The operator suspends a deployment: it stops, and everything of it is kept. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  const deployments = () => db.schema.alterTable('deployments');
  await deployments().addColumn('suspendedAt', 'bigint').execute();
  await deployments().addColumn('suspendedBecause', 'text').execute();
}
