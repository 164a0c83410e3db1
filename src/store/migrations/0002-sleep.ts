/** When a deployment was last used, and whether it sleeps. */
import type { Kysely } from 'kysely';
import { changeSchema } from '../dialect/dialect.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await changeSchema(
    db,
    `
alter table "deployments" add column "activeAt" bigint;
alter table "deployments" add column "sleep" text;
alter table "deployments" add column "asleepAt" bigint;
alter table "deployments" add column "wakeRequestedAt" bigint;
alter table "deployments" add column "wokeInMs" bigint;
alter table "deployments" add column "residentBytes" bigint;
alter table "deployments" add column "wakes" integer default 0 not null;
`,
  );
}
