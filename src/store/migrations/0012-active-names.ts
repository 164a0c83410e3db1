/**
 * A session has one deployment of a name that has not ended: the database sees to it. And an answer to an idempotency key
 * can be written before the deployment that it is about, in one transaction.
 */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('deployments')
    .addColumn('sharesName', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  // Starts that overlapped have made some of one name. They live on; the newest is the one that the index holds.
  await sql`
    update deployments set "sharesName" = 1
    where "removedAt" is null and state <> 'expired' and exists (
      select 1 from deployments as newer
      where newer."sessionId" = deployments."sessionId" and newer."applicationName" = deployments."applicationName"
        and newer."removedAt" is null and newer.state <> 'expired'
        and (newer."createdAt", newer.id) > (deployments."createdAt", deployments.id)
    )`.execute(db);
  await sql`
    create unique index deployments_active_name on deployments ("sessionId", "applicationName")
    where "removedAt" is null and state <> 'expired' and "sharesName" = 0`.execute(db);

  // SQLite cannot change a constraint of a table that exists.
  await db.schema
    .createTable('idempotencyAnswers')
    .addColumn('keyHash', 'text', (c) => c.primaryKey())
    .addColumn('bodyHash', 'text', (c) => c.notNull())
    .addColumn('deploymentId', 'text', (c) => c.notNull())
    .addColumn('sessionToken', sql`bytea`, (c) => c.notNull())
    .addColumn('expiresAt', 'bigint', (c) => c.notNull())
    .addForeignKeyConstraint('idempotency_deployment', ['deploymentId'], 'deployments', ['id'], (c) =>
      c.onDelete('cascade').deferrable().initiallyDeferred(),
    )
    .execute();
  await sql`
    insert into "idempotencyAnswers" ("keyHash", "bodyHash", "deploymentId", "sessionToken", "expiresAt")
    select "keyHash", "bodyHash", "deploymentId", "sessionToken", "expiresAt" from idempotency`.execute(db);
  await db.schema.dropTable('idempotency').execute();
  await db.schema.alterTable('idempotencyAnswers').renameTo('idempotency').execute();
}
