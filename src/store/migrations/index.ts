/** All migrations in order. One that has been released is never changed; the next change is the next one. */
import type { Migration } from 'kysely';
import * as initial from './2026-11-21-initial.ts';
import * as commitments from './2026-11-22-commitments.ts';
import * as revisionImages from './2026-11-23-revision-images.ts';
import * as imageAccess from './2026-11-24-image-access.ts';
import * as pulledImages from './2026-11-25-pulled-images.ts';

export const migrations: Record<string, Migration> = {
  '2026-11-21-initial': initial,
  '2026-11-22-commitments': commitments,
  '2026-11-23-revision-images': revisionImages,
  '2026-11-24-image-access': imageAccess,
  '2026-11-25-pulled-images': pulledImages,
};
