/** The Git commit that a revision was made from. */
import type { Kysely } from 'kysely';
import { changeSchema } from '../dialect/dialect.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await changeSchema(db, `alter table "revisions" add column "sourceCommit" text;`);
}
