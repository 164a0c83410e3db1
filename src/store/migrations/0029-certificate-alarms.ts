/** What the operator was told of a certificate, so that they are told once. */
import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('certificates').addColumn('told', 'text').execute();
}
