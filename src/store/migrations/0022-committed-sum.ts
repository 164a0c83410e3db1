/**
 * What each deployment has been promised, and all of them together: every start asks for that. And indexes for rows that
 * go with their deployment. A service that starts counts what is there, see `recountCommitments`.
 */
import { type CreateTableBuilder, type Kysely, sql } from 'kysely';

const amounts = ['memoryBytes', 'cpuMillis', 'diskBytes', 'containers', 'volumes', 'gpus'];

export async function up(db: Kysely<unknown>): Promise<void> {
  await withAmounts(
    db.schema
      .createTable('commitments')
      .addColumn('deploymentId', 'text', (c) => c.primaryKey().references('deployments.id').onDelete('cascade')),
  ).execute();
  await withAmounts(
    db.schema.createTable('commitmentTotals').addColumn('id', 'integer', (c) => c.primaryKey()),
  ).execute();
  for (const table of ['claims', 'idempotency'])
    await db.schema.createIndex(`${table}_deployment`).on(table).column('deploymentId').execute();
}

function withAmounts(table: CreateTableBuilder<string, string>): CreateTableBuilder<string, string> {
  let whole = table;
  for (const name of amounts) whole = whole.addColumn(name, sql`bigint`, (c) => c.notNull());
  return whole;
}
