/** Databases that this release refuses, on each database. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { StartError } from '../../../src/lib/start-error.ts';
import { mustMigrate } from '../../../src/store/migrations/migrate.ts';
import type { OpenStore } from './store.ts';

export function schemaContract(open: OpenStore): void {
  test('a database of a newer release or of a pre-release is refused with instructions', async () => {
    await using db = await open();
    assert.equal(await mustMigrate(db, 'nothing'), false);
    const refused = [
      ['9999-later', /^A newer release of Berth wrote this database \(9999-later\).* restore a backup/],
      ['0001-initial', /^A pre-release of Berth made this database.* export your applications .* empty data directory/],
    ] as const;
    for (const [name, words] of refused) {
      const change = await db.startTransaction().execute();
      if (name === '0001-initial') await sql`delete from kysely_migration`.execute(change);
      await sql`insert into kysely_migration ("name", "timestamp") values (${name}, '')`.execute(change);
      await assert.rejects(
        mustMigrate(change, 'all'),
        (error) => error instanceof StartError && words.test(error.message),
      );
      await change.rollback().execute();
    }
  });
}
