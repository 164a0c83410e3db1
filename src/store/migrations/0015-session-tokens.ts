/**
 * What an owner is told of a session's token, when it was ended, and what a start with it is. Sessions that an account
 * has started itself start on its plan as before; those that it has claimed no longer do, until it says so.
 */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  const columns = [
    ['tokenMadeAt', 'bigint'],
    ['tokenMadeFrom', 'text'],
    ['tokenUsedAt', 'bigint'],
    ['tokenUsedFrom', 'text'],
    ['tokenEndedAt', 'bigint'],
  ] as const;
  for (const [name, type] of columns) await db.schema.alterTable('sessions').addColumn(name, type).execute();
  await db.schema
    .alterTable('sessions')
    .addColumn('starts', 'text', (c) => c.notNull().defaultTo('free'))
    .execute();
  await sql`update "sessions" set "tokenMadeAt" = "createdAt"`.execute(db);
  await sql`update "sessions" set "tokenMadeFrom" = (
    select "address" from "origins" inner join "deployments" on "deployments"."id" = "origins"."deploymentId"
    where "deployments"."sessionId" = "sessions"."id" and "deployments"."createdAt" = "sessions"."createdAt" limit 1
  )`.execute(db);
  await sql`update "sessions" set "starts" = 'plan' where "accountId" is not null and exists (
    select 1 from "deployments" where "sessionId" = "sessions"."id"
    and "deployments"."createdAt" = "sessions"."createdAt" and "claimedAt" = "deployments"."createdAt"
  )`.execute(db);
}
