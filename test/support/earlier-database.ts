/** A database as an earlier release has left it, for tests of what becomes of it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Kysely, Migrator } from 'kysely';
import { sqliteDialect } from '../../src/store/dialect/sqlite.ts';
import { migrations } from '../../src/store/migrations/index.ts';

type AnyTables = Record<string, Record<string, unknown>>;

/** After this migration, which was its last. */
export async function earlierDatabase<Schema = AnyTables>(
  last: string,
  file = ':memory:',
): Promise<{ db: Kysely<Schema>; migrator: Migrator }> {
  const db = new Kysely<Schema>({ dialect: sqliteDialect(file) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateTo(last);
  assert.equal(error, undefined);
  return { db, migrator };
}

/** Where a database can be closed and opened again; removed after the test. */
export function databaseFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'berth.db');
}
