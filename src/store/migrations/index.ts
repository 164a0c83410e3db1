/**
 * All migrations in order. A released migration never changes. Add the next one as `0003-subject.ts` with statements for
 * `changeSchema`. The previous release serves until the new one takes over, so a migration only adds tables, indexes that
 * are not unique, and columns that may be null or have a default.
 */
import type { Migration } from 'kysely';
import { up as schema } from './0001-schema.ts';
import { up as sleep } from './0002-sleep.ts';
import { up as revisionCommit } from './0003-revision-commit.ts';

export const migrations: Record<string, Migration> = {
  '0001-schema': { up: schema },
  '0002-sleep': { up: sleep },
  '0003-revision-commit': { up: revisionCommit },
};
